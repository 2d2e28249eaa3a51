/** C14 of CASES.md: pending questions shown newest first. */
import { failedTasks } from '../support/histories';
import { delegate, freeForm, freeText, script, sleep, writeIn } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

describe('C14 pending questions come oldest first', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  /**
   * A root with sub-agents C1, C2, C3, started in that order. Each asks a first question, the gate, so that the test
   * and not the machine's speed decides in which order they ask the second one.
   */
  async function gatedFamily(): Promise<{ root: string; runs: string[] }> {
    const child = (name: string) => delegate(script([freeForm(`${name}: ready?`), freeForm(`${name}: what?`)], name));
    const { run_id } = await stack.api.start(script([[child('C1'), child('C2'), child('C3')]]));
    await stack.api.until(run_id, (run) => run.children_awaiting.length === 3);
    const started = (await stack.api.events(run_id)).filter(({ type }) => type === 'child.started');
    const named = new Map<string, string>();
    for (const { data } of started) {
      const runId = String(data.child_run_id);
      const { pending_input_context } = await stack.api.read(runId);
      named.set(pending_input_context?.question.slice(0, 2) ?? '', runId);
    }
    return { root: run_id, runs: ['C1', 'C2', 'C3'].map((name) => named.get(name) as string) };
  }

  /** Lets these ask their second question, one after another, 300 ms apart. */
  async function askInOrder(root: string, runs: string[]): Promise<void> {
    for (const run of runs) {
      expect((await stack.api.resume(run, freeText('yes'))).status).toBe(200);
      await stack.api.until(root, ({ children_awaiting }) =>
        children_awaiting.some((child) => child.run_id === run && child.ask_id === 'q2'),
      );
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }

  const q2 = (...runs: string[]) => runs.map((run_id) => ({ run_id, ask_id: 'q2' }));

  test('asked in the order C3, C1, C2, listed so, and answering C1 out of turn moves nobody', async () => {
    const { api } = stack;
    const { root, runs } = await gatedFamily();
    const [c1 = '', c2 = '', c3 = ''] = runs;
    const stream = await StreamReader.open(api, root);
    await askInOrder(root, [c3, c1, c2]);

    expect(await api.pendingAsks(root)).toEqual(q2(c3, c1, c2));
    expect((await api.read(root)).children_awaiting).toEqual(q2(c3, c1, c2));
    const asksOf = (reader: StreamReader) =>
      reader.frames
        .filter(({ data }) => data.type === 'child_needs_human')
        .filter(({ data }) => (data.data.question as { ask_id: string }).ask_id === 'q2')
        .map(({ data }) => data.data.child_run_id);
    await stream.until((reader) => asksOf(reader).length === 3);
    expect(asksOf(stream)).toEqual([c3, c1, c2]);
    stream.drop();

    // Neither reading nor a rejected answer moves one.
    expect((await api.resume(c2, writeIn('wrong kind'))).status).toBe(422);
    expect(await api.pendingAsks(root)).toEqual(q2(c3, c1, c2));

    expect((await api.resume(c1, freeText('for C1'))).status).toBe(200);
    await api.untilEnded(c1);
    await api.until(root, (run) => run.children_awaiting.length === 2);
    expect(await api.pendingAsks(root)).toEqual(q2(c3, c2));
    expect((await api.read(root)).children_awaiting).toEqual(q2(c3, c2));

    expect((await api.resume(c2, freeText('for C2'))).status).toBe(200);
    expect((await api.resume(c3, freeText('for C3'))).status).toBe(200);
    expect((await api.untilEnded(root)).status).toBe('completed');
    expect(await api.pendingAsks(root)).toEqual([]);
    for (const [run, answer] of [
      [c1, 'for C1'],
      [c2, 'for C2'],
      [c3, 'for C3'],
    ] as const) {
      expect(await api.toolResults(run, 'ask_a_human')).toEqual([{ answer: 'yes' }, { answer }]);
    }
    expect(await failedTasks(stack.client, root, c1, c2, c3)).toEqual([]);
  });

  test('a run that asks again goes to the end of the list', async () => {
    const { api } = stack;
    const { root, runs } = await gatedFamily();
    const [c1 = '', c2 = '', c3 = ''] = runs;
    const gates = (await api.pendingAsks(root)).map(({ run_id }) => run_id);
    await askInOrder(root, [gates[0] as string]);
    expect((await api.pendingAsks(root)).map(({ run_id }) => run_id)).toEqual([gates[1], gates[2], gates[0]]);
    await api.call('POST', `/agents/${root}/cancel`);
    await api.untilEnded(root);
    expect(await api.pendingAsks(root)).toEqual([]);
    expect(await failedTasks(stack.client, root, c1, c2, c3)).toEqual([]);
  });

  test('started C1, C2, C3 and asking on timers: the list goes by the time of asking, the root and a grandchild too', async () => {
    const { api } = stack;
    const asksAfter = (ms: number) => script([sleep(ms), freeForm()]);
    const { run_id } = await api.start(
      script([
        [
          delegate(asksAfter(1_300)),
          delegate(script([delegate(asksAfter(1_000))])),
          delegate(asksAfter(700)),
          freeForm('The root asks at once'),
        ],
      ]),
    );
    await api.until(run_id, (run) => run.status === 'awaiting_input' && run.children_awaiting.length === 3);
    const asks = await api.pendingAsks(run_id);
    const times = await Promise.all(
      asks.map(async ({ run_id: id }) => (await api.read(id)).pending_input_context?.asked_at ?? ''),
    );
    expect(times).toEqual([...times].sort());
    expect(asks[0]).toEqual({ run_id, ask_id: 'q1' });
    expect((await api.read(run_id)).children_awaiting).toEqual(asks.slice(1));
    for (const ask of asks) expect((await api.resume(ask.run_id, freeText('ok'))).status).toBe(200);
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    expect(await failedTasks(stack.client, ...asks.map((ask) => ask.run_id))).toEqual([]);
  });
});
