/** C15 of CASES.md: reconnect loses or repeats stream events. */
import { failedTasks } from '../support/histories';
import { choice, delegate, freeForm, freeText, pick, script } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

describe('C15 a stream that is picked up again', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  /** What a stream has to hold: every event of the run after `after`, once, in order, as the JSON pages give it. */
  async function expectExactly(reader: StreamReader, runId: string, after: number): Promise<void> {
    const events = (await stack.api.events(runId)).filter(({ id }) => id > after);
    await reader.until(({ frames }) => frames.length >= events.length);
    expect(reader.frames.map(({ data }) => data)).toEqual(events);
    expect(reader.frames.map(({ id, event }) => ({ id, event }))).toEqual(
      events.map(({ id, type }) => ({ id: String(id), event: type })),
    );
    expect(reader.ids).toEqual(reader.ids.map((_id, index) => after + 1 + index));
  }

  test('two subscribers at different positions get exactly what came after their own id', async () => {
    const { api } = stack;
    const asker = (text: string) => script([freeForm(), freeForm()], text);
    const { run_id } = await api.start(script([[delegate(asker('one')), delegate(asker('two'))]]));
    await api.until(run_id, (run) => run.children_awaiting.length === 2);
    const first = await StreamReader.open(api, run_id);
    await expectExactly(first, run_id, 0);
    const n = Number(first.frames.at(-1)?.id);
    const early = Math.floor(n / 2);
    first.drop();

    // While nobody listens: both ask again, and one finishes.
    const [one, two] = (await api.pendingAsks(run_id)).map((ask) => ask.run_id) as [string, string];
    for (const child of [one, two]) {
      expect((await api.resume(child, freeText('next'))).status).toBe(200);
      await api.untilWaiting(child, 'q2');
    }
    expect((await api.resume(one, freeText('end'))).status).toBe(200);
    await api.untilEnded(one);
    await api.until(run_id, (run) => run.children_awaiting.length === 1);

    const late = await StreamReader.open(api, run_id, String(n));
    const behind = await StreamReader.open(api, run_id, String(early));
    const fresh = await StreamReader.open(api, run_id);
    await expectExactly(late, run_id, n);
    await expectExactly(behind, run_id, early);
    await expectExactly(fresh, run_id, 0);
    expect(late.types.filter((type) => type === 'child_needs_human')).toHaveLength(2);
    expect(late.types).toContain('child.completed');

    // All go on live, side by side, to the end of the run, which ends each of them.
    expect((await api.resume(two, freeText('end'))).status).toBe(200);
    await api.untilEnded(run_id);
    for (const reader of [late, behind, fresh]) await reader.until(({ ended }) => ended);
    await expectExactly(late, run_id, n);
    await expectExactly(behind, run_id, early);
    await expectExactly(fresh, run_id, 0);
    expect(await failedTasks(stack.client, run_id, one, two)).toEqual([]);
  });

  test('a socket that drops again and again loses nothing and repeats nothing', async () => {
    const { api } = stack;
    const { run_id } = await api.start(script(Array.from({ length: 6 }, () => choice('A', 'B'))));
    const got: number[] = [];
    let answered = 0;
    for (let round = 0; round < 100; round += 1) {
      const cursor = got.at(-1);
      const reader = await StreamReader.open(api, run_id, cursor === undefined ? undefined : String(cursor));
      if (reader.status === 204) break;
      if (round > 0 && answered < 6) {
        // Between two sockets, and while this one is only just open.
        const run = await api.untilWaiting(run_id, `q${answered + 1}`);
        answered += 1;
        expect((await api.resume(run_id, pick(`${run.pending_input_context?.ask_id}_o1`))).status).toBe(200);
      }
      await reader.until(({ frames, ended }) => frames.length >= 3 || ended);
      reader.drop();
      got.push(...reader.ids);
      if (reader.types.includes('run.completed')) break;
    }
    const ids = (await api.events(run_id)).map(({ id }) => id);
    expect(got).toEqual(ids);
    expect(await failedTasks(stack.client, run_id)).toEqual([]);
  });

  test('a garbage id starts over, on a run that waits and on one that has ended', async () => {
    const { api } = stack;
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    const garbage = ['abc', '-1', '1.5', '1e1', '0x2', '2 ', '٣', '{}', 'q1', 'undefined'];
    for (const id of garbage) {
      const reader = await StreamReader.open(api, run_id, encodeURIComponent(id) === id ? id : asHeader(id));
      if (id === '2 ') await expectExactly(reader, run_id, 2);
      else await expectExactly(reader, run_id, 0);
      reader.drop();
    }
    await api.resume(run_id, freeText('x'));
    await api.untilEnded(run_id);
    const reader = await StreamReader.open(api, run_id, 'abc');
    await expectExactly(reader, run_id, 0);
    await reader.until(({ ended }) => ended);
    expect(reader.types.at(-1)).toBe('run.completed');
    expect(await failedTasks(stack.client, run_id)).toEqual([]);
  });

  test('subscribers that come while no worker is up get their events once one is, with no further news needed', async () => {
    const { api } = stack;
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    const before = await StreamReader.open(api, run_id);
    await expectExactly(before, run_id, 0);
    await stack.stopWorker();
    const meanwhile = await StreamReader.open(api, run_id);
    // Longer than a query is waited for: what was asked of the missing worker is given up.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(meanwhile.frames).toEqual([]);
    await stack.startWorker();
    await expectExactly(meanwhile, run_id, 0);
    before.drop();
    meanwhile.drop();
    expect(await failedTasks(stack.client, run_id)).toEqual([]);
  });

  test('an id ahead of the run is told so, then gets all there is; the newest id of an ended run gets 204', async () => {
    const { api } = stack;
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    const events = await api.events(run_id);
    const open = async (id: string) => {
      const reader = await StreamReader.open(api, run_id, id);
      await reader.until(({ frames }) => frames.length >= events.length + 1);
      expect(reader.types).toEqual(['stream.reset', ...events.map(({ type }) => type)]);
      return reader;
    };
    // More digits than a number holds are ahead too.
    (await open('9'.repeat(40))).drop();
    const ahead = await open('100000');
    // From there on it is as good as any other.
    await api.resume(run_id, freeText('x'));
    await ahead.until(({ ended }) => ended);
    const all = await api.events(run_id);
    expect(ahead.types.slice(1)).toEqual(all.map(({ type }) => type));
    expect((await StreamReader.open(api, run_id, String(all.at(-1)?.id))).status).toBe(204);
    expect(await failedTasks(stack.client, run_id)).toEqual([]);
  });
});

/** Bytes of UTF-8 as a header holds them: one character a byte. */
function asHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
