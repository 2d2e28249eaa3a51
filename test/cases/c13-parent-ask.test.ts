/** C13 of CASES.md: a parent's own ask must not stop, or be woken by, its sub-agents. */
import type { RunRecord } from '../../workflows/contract';
import { failedTasks } from '../support/histories';
import { choice, collect, delegate, freeForm, freeText, pick, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('C13 a parent that asks', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  /** Reads the run over and over until told to stop; every record it saw. */
  function watch(runId: string): () => Promise<RunRecord[]> {
    const seen: RunRecord[] = [];
    let on = true;
    const reading = (async () => {
      while (on) {
        seen.push(await stack.api.read(runId));
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    })();
    return async () => {
      on = false;
      await reading;
      return seen;
    };
  }

  /** Its two sub-agents once one of them waits: the other one, and the one that waits. */
  async function children(runId: string): Promise<[other: string, waiting: string]> {
    const { children_awaiting } = await stack.api.until(runId, (run) => run.children_awaiting.length === 1);
    const waiting = children_awaiting[0]?.run_id ?? '';
    const events = await stack.api.events(runId);
    // Sub-agents started in one turn may come to be in any order.
    const started = events.filter(({ type }) => type === 'child.started').map(({ data }) => String(data.child_run_id));
    return [started.find((child) => child !== waiting) ?? '', waiting];
  }

  const C1 = script([sleep(500)], 'c1 done');
  const C2 = script([freeForm('What does C2 need?')], 'c2 done');

  test.each([
    [
      'dispatched in the background, then an ask',
      script([[delegate(C1, { background: true }), delegate(C2, { background: true })], choice('A', 'B'), collect()]),
    ],
    ['dispatched in the same turn as the ask', script([[delegate(C1), delegate(C2), choice('A', 'B')]])],
    ['asked first in the same turn', script([[choice('A', 'B'), delegate(C1), delegate(C2)]])],
  ])('%s: sub-agents end while it stays paused, and only a person answers it', async (_name, input) => {
    const { api } = stack;
    const { run_id } = await api.start(input);
    const paused = await api.untilWaiting(run_id, 'q1');
    const [c1, c2] = await children(run_id);

    const stop = watch(run_id);
    expect((await api.untilEnded(c1)).result).toEqual({ text: 'c1 done' });
    await api.untilWaiting(c2);
    expect((await api.resume(c2, freeText('for C2 alone'))).status).toBe(200);
    expect((await api.untilEnded(c2)).result).toEqual({ text: 'c2 done' });
    await api.until(run_id, (run) => run.children_awaiting.length === 0);
    for (const record of await stop()) {
      expect(record.status).toBe('awaiting_input');
      expect(record.pending_input_context).toEqual(paused.pending_input_context);
    }

    expect((await api.resume(run_id, pick('q1_o2'))).status).toBe(200);
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: 'B', option_id: 'q1_o2' }]);
    expect(await api.toolResults(c2, 'ask_a_human')).toEqual([{ answer: 'for C2 alone' }]);

    const results = [
      { child_run_id: c1, result: { text: 'c1 done' } },
      { child_run_id: c2, result: { text: 'c2 done' } },
    ];
    const collected = await api.toolResults(run_id, 'collect');
    expect(collected.length > 0 ? collected : await api.toolResults(run_id, 'delegate')).toEqual(
      collected.length > 0 ? [{ results }] : results,
    );
    expect(await failedTasks(stack.client, run_id, c1, c2)).toEqual([]);
  });

  test('a sub-agent that fails or is cancelled does not wake it, and is a tool error afterwards', async () => {
    const { api } = stack;
    const broken = delegate({}, { background: true, agent: 'no-such-agent' });
    const { run_id } = await api.start(script([[broken, delegate(C2, { background: true })], freeForm(), collect()]));
    await api.untilWaiting(run_id, 'q1');
    const [failing, waiting] = await children(run_id);
    expect((await api.untilEnded(failing)).status).toBe('failed');
    await api.call('POST', `/agents/${waiting}/cancel`);
    expect((await api.untilEnded(waiting)).status).toBe('cancelled');
    const record = await api.until(run_id, (run) => run.children_awaiting.length === 0);
    expect(record.pending_input_context?.ask_id).toBe('q1');

    expect((await api.resume(run_id, freeText('go on'))).status).toBe(200);
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: 'go on' }]);
    expect(await api.toolResults(run_id, 'collect')).toEqual([
      {
        results: [
          expect.objectContaining({ error: 'child_failed', child_run_id: failing, code: 'unknown_agent' }),
          expect.objectContaining({ error: 'child_cancelled', child_run_id: waiting }),
        ],
      },
    ]);
    expect(await failedTasks(stack.client, run_id, failing, waiting)).toEqual([]);
  });

  test('an answer to a sub-agent sent to the parent answers the parent, never the sub-agent', async () => {
    const { api } = stack;
    const { run_id } = await api.start(script([[delegate(C2), freeForm('What does the parent need?')]]));
    await api.untilWaiting(run_id);
    const [, c2] = await children(run_id);
    expect((await api.resume(run_id, freeText('parent'))).status).toBe(200);
    expect((await api.read(c2)).status).toBe('awaiting_input');
    const running = await api.read(run_id);
    expect(running.status).toBe('running');
    expect(running.children_awaiting).toEqual([{ run_id: c2, ask_id: 'q1' }]);
    // With its own question answered, nothing meant for the sub-agent is taken by the parent.
    expect((await api.resume(run_id, freeText('child'))).status).toBe(409);
    expect((await api.resume(c2, freeText('child'))).status).toBe(200);
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: 'parent' }]);
    expect(await api.toolResults(c2, 'ask_a_human')).toEqual([{ answer: 'child' }]);
    expect(await failedTasks(stack.client, run_id, c2)).toEqual([]);
  });
});
