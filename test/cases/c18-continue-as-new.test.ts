/** C18 of CASES.md: continue-as-new while a question is open. */
import { eventually } from '../support/http';
import { executionsOf, failedTasks } from '../support/histories';
import { collect, delegate, freeForm, freeText, script } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

const ROUNDS = 30;

describe('C18 a run that continues as new', () => {
  let stack: TestStack;
  // About two rounds of asking: a run of thirty rounds continues as new a dozen times.
  beforeAll(async () => (stack = await TestStack.start({ continueAsNewAfter: 25 })));
  afterAll(() => stack.stop());

  /**
   * Failed tasks that are failures. A message that comes in while the worker ends an execution makes the server take
   * that end back and hand both over again: its own way of losing nothing, and no fault of the code.
   */
  async function realFailures(...runIds: string[]): Promise<string[]> {
    return (await failedTasks(stack.client, ...runIds)).filter((cause) => !/UNHANDLED_COMMAND$/.test(cause));
  }

  const times = async (runId: string) => (await executionsOf(stack.client, runId)).length;

  test('answers fired at it without a pause: each 2xx reaches the agent, once, as the answer to one ask', async () => {
    const { api } = stack;
    const { run_id, created_at } = await api.start(script(Array.from({ length: ROUNDS }, () => freeForm())));
    const stream = await StreamReader.open(api, run_id);
    let over = false;
    const taken: string[] = [];
    const statuses = new Set<number>();
    const sender = async (name: string) => {
      for (let n = 0; !over; n += 1) {
        const reply = await api.resume(run_id, freeText(`${name}-${n}`));
        statuses.add(reply.status);
        if (reply.status < 300) taken.push(`${name}-${n}`);
      }
    };
    const ended = api.untilEnded(run_id, 240).finally(() => (over = true));
    await Promise.all([ended, sender('x'), sender('y'), sender('z')]);

    const record = await ended;
    expect(record).toMatchObject({ status: 'completed', run_id, created_at });
    // 202 on a machine too busy to judge in time: such an answer must have reached the agent too.
    expect([...statuses].filter((status) => status !== 202).sort()).toEqual([200, 409]);
    const answers = (await api.toolResults(run_id, 'ask_a_human')) as { answer: string }[];
    expect(answers).toHaveLength(ROUNDS);
    expect(answers.map(({ answer }) => answer).sort()).toEqual([...taken].sort());

    // One numbering through all executions, for whoever reads and for whoever watched; ask ids are used once.
    expect(await times(run_id)).toBeGreaterThan(8);
    const events = await api.events(run_id);
    expect(events.map(({ id }) => id)).toEqual(events.map((_event, k) => k + 1));
    const opened = events.filter(({ type }) => type === 'ask.opened').map(({ data }) => data.ask_id);
    expect(opened).toEqual(answers.map((_answer, k) => `q${k + 1}`));
    await stream.until((reader) => reader.ended);
    expect(stream.frames.map(({ data }) => data)).toEqual(events);
    expect(await realFailures(run_id)).toEqual([]);
  });

  test('thirty times: its own ask and a sub-agent’s are open and both are answered at one moment', async () => {
    const { api } = stack;
    const child = delegate(script([freeForm()], 'child'), { background: true });
    const round = [[child, freeForm()], collect()];
    const { run_id } = await api.start(script(Array.from({ length: ROUNDS }, () => round).flat()));
    const stream = await StreamReader.open(api, run_id);
    const children: string[] = [];
    for (let k = 1; k <= ROUNDS; k += 1) {
      const record = await api.until(
        run_id,
        (run) => run.pending_input_context?.ask_id === `q${k}` && run.children_awaiting.length === 1,
      );
      const sub = record.children_awaiting[0]?.run_id as string;
      children.push(sub);
      expect(await api.pendingAsks(run_id)).toEqual(expect.arrayContaining([{ run_id, ask_id: `q${k}` }]));
      const replies = await Promise.all([
        api.resume(run_id, freeText(`own ${k}`), { ask_id: `q${k}` }, { 'idempotency-key': `own-${k}` }),
        api.resume(sub, freeText(`sub ${k}`)),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
      // Asked again while the run may just be changing executions: the first outcome, never the next ask's answer.
      const again = () =>
        api.resume(run_id, freeText(`own ${k}`), { ask_id: `q${k}` }, { 'idempotency-key': `own-${k}` });
      let retry = await again();
      // A worker that is slow to tell is a 503 with `Retry-After`, and the key makes that safe.
      await eventually(async () => retry.status !== 503 || (retry = await again()).status !== 503);
      expect(retry.status).toBe(200);
    }
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    expect(new Set(children).size).toBe(ROUNDS);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual(children.map((_c, k) => ({ answer: `own ${k + 1}` })));
    expect(await api.toolResults(run_id, 'collect')).toEqual(
      children.map((child_run_id) => ({ results: [{ child_run_id, result: { text: 'child' } }] })),
    );
    expect(await times(run_id)).toBeGreaterThan(8);
    await stream.until((reader) => reader.ended);
    expect(stream.ids).toEqual(stream.ids.map((_id, k) => k + 1));
    const frames = stream.frames.filter(({ data }) => data.type === 'child_needs_human');
    expect(frames.map(({ data }) => data.data.child_run_id)).toEqual(children);
    expect(await realFailures(run_id, ...children)).toEqual([]);
  });

  test('while a background sub-agent’s ask is open it keeps its execution, then goes on with its result', async () => {
    const { api } = stack;
    const asks = (n: number) => Array.from({ length: n }, () => freeForm());
    const background = delegate(script([freeForm('long open')], 'late'), { background: true });
    const { run_id } = await api.start(script([background, ...asks(5), ...asks(3), collect()]));
    const answer = async (k: number) => {
      await api.untilWaiting(run_id, `q${k}`);
      expect((await api.resume(run_id, freeText(`a${k}`))).status).toBe(200);
    };
    await api.until(run_id, (run) => run.children_awaiting.length === 1);
    const [waiting] = (await api.read(run_id)).children_awaiting;
    for (let k = 1; k <= 5; k += 1) await answer(k);
    await api.untilWaiting(run_id, 'q6');
    expect((await api.read(run_id)).children_awaiting).toEqual([waiting]);
    expect(await times(run_id)).toBe(1);

    const both = [api.resume(run_id, freeText('a6')), api.resume(waiting?.run_id as string, freeText('at last'))];
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
    await answer(7);
    await answer(8);
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    expect(await times(run_id)).toBeGreaterThan(1);
    expect(await api.toolResults(run_id, 'collect')).toEqual([
      { results: [{ child_run_id: waiting?.run_id, result: { text: 'late' } }] },
    ]);
    const events = await api.events(run_id);
    expect(events.map(({ id }) => id)).toEqual(events.map((_event, k) => k + 1));
    expect(await realFailures(run_id, waiting?.run_id as string)).toEqual([]);
  });

  test('a sub-agent that continues as new keeps its id, its place and its callers', async () => {
    const { api } = stack;
    const asker = script(
      Array.from({ length: 8 }, () => freeForm()),
      'asked a lot',
    );
    const { run_id } = await api.start(script([delegate(script([delegate(asker)]))]));
    const child = (await api.until(run_id, (run) => run.children_awaiting.length === 1)).children_awaiting[0]?.run_id;
    for (let k = 1; k <= 8; k += 1) {
      await api.until(run_id, (run) => run.children_awaiting[0]?.ask_id === `q${k}`);
      expect(await api.pendingAsks(run_id)).toEqual([{ run_id: child, ask_id: `q${k}` }]);
      expect((await api.resume(child as string, freeText(`a${k}`))).status).toBe(200);
    }
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    expect(await times(child as string)).toBeGreaterThan(2);
    const [middle] = (await api.toolResults(run_id, 'delegate')) as { child_run_id: string }[];
    expect(await api.toolResults(middle?.child_run_id as string, 'delegate')).toEqual([
      { child_run_id: child, result: { text: 'asked a lot' } },
    ]);
    const events = await api.events(run_id);
    expect(events.filter(({ type }) => type === 'child_needs_human')).toHaveLength(8);
    expect(events.filter(({ type }) => type === 'child_ask_closed')).toHaveLength(8);
    expect(await realFailures(run_id, middle?.child_run_id as string, child as string)).toEqual([]);
  });
});
