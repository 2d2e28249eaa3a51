/** C22 of CASES.md: unattended run waits for nobody. */
import type { RunRecord } from '../../workflows/contract';
import { executionsOf, failedTasks } from '../support/histories';
import { choice, collect, delegate, freeForm, script, type Call } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

const RESULTS = {
  none: { error: 'no_human_in_loop' },
  auto: { skipped: true, reason: 'on_question_auto' },
} as const;
const MODES = ['none', 'auto'] as const;

const MC = choice('A', 'B');
const FF = freeForm();
const background = (input: unknown) => delegate(input, { background: true });
/** A model that tries to have its question put all the same. */
const stubborn: Call = { tool: 'ask_a_human', args: { ...FF.args, on_question: 'pause' } };
const rebel = { tool: 'delegate', args: { ...delegate(script([FF])).args, on_question: 'pause' } };

const SHAPES: [name: string, input: ReturnType<typeof script>, asks: number][] = [
  ['a multiple-choice ask', script([MC]), 1],
  ['a free-form ask', script([FF]), 1],
  ['two asks in one turn', script([[MC, FF]]), 2],
  ['an ask that is malformed', script([choice('only one')]), 1],
  ['an ask with arguments of its own about the mode', script([stubborn]), 1],
  ['a child that asks', script([delegate(script([MC, FF]))]), 2],
  ['a child in the background that asks', script([background(script([FF])), MC, collect()]), 2],
  ['a child that is told another mode', script([rebel]), 1],
  ['a grandchild that asks', script([delegate(script([delegate(script([FF]))]))]), 1],
];

describe('C22 a run that nobody attends', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  /** Reads a run and every run below it, every 50 ms, until the root has ended: all records seen. */
  async function watch(root: string): Promise<RunRecord[]> {
    const seen: RunRecord[] = [];
    const known = new Set([root]);
    for (;;) {
      for (const runId of known) {
        seen.push(await stack.api.read(runId));
        const { status, body } = await stack.api.call<{ events: { data: Record<string, unknown> }[] }>(
          'GET',
          `/agents/${runId}/events`,
        );
        // A busy machine may be late with a query (503); what the events say is looked at when all is over.
        for (const { data } of status === 200 ? body.events : []) {
          if (typeof data.child_run_id === 'string') known.add(data.child_run_id);
        }
      }
      const last = seen.findLast(({ run_id }) => run_id === root);
      // A last look at those that were found on the way.
      if (last?.status !== 'running' && [...known].every((id) => seen.some(({ run_id }) => run_id === id))) return seen;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  describe.each(MODES)('on_question: %s', (mode) => {
    test.each(SHAPES)('%s never waits: the agent is told so at once and goes on', async (_name, input, asks) => {
      const { run_id } = await stack.api.start(input, { on_question: mode });
      const stream = await StreamReader.open(stack.api, run_id);
      const seen = await watch(run_id);
      const runs = [...new Set(seen.map((record) => record.run_id))];
      for (const record of seen) {
        expect(record).toMatchObject({ on_question: mode, pending_input_type: null, children_awaiting: [] });
        expect(['running', 'completed']).toContain(record.status);
        expect(record.waiting_ms).toBe(0);
      }
      expect((await stack.api.untilEnded(run_id)).status).toBe('completed');
      await stream.until(({ ended }) => ended);

      const results: unknown[] = [];
      for (const runId of runs) {
        results.push(...(await stack.api.toolResults(runId, 'ask_a_human')));
        const events = await stack.api.events(runId);
        expect(events.map(({ type }) => type).filter((type) => /^(ask\.|child_|step\.paused)/.test(type))).toEqual([]);
        // Within a second: in fact in one and the same workflow task, by the run's own clock.
        for (const { data, timestamp } of events.filter(({ data: { name } }) => name === 'ask_a_human')) {
          const began = events.find(({ data: other }) => other.step_id === data.step_id)?.timestamp ?? '';
          expect(Date.parse(timestamp) - Date.parse(began)).toBeLessThan(1_000);
        }
        // Nothing waits behind the scenes either: no timer, no memo of a pending question.
        const [execution] = await executionsOf(stack.client, runId);
        expect(execution?.events.filter((event) => event.timerStartedEventAttributes)).toEqual([]);
      }
      expect(results).toEqual(Array(asks).fill(RESULTS[mode]));
      expect(stream.types.filter((type) => /^(ask\.|child_needs_human|step\.paused)/.test(type))).toEqual([]);
      expect(await stack.api.pendingAsks(run_id)).toEqual([]);
      expect(await failedTasks(stack.client, ...runs)).toEqual([]);
    });
  });

  test('the mode is one of three words, said when the root starts; left out it is pause', async () => {
    const body = { agent: 'scripted', input: script([]) };
    for (const on_question of ['None', 'AUTO', 'never', '', null, true, 0, ['none'], {}]) {
      const { status, body: reply } = await stack.api.call('POST', '/agents', { ...body, on_question });
      expect({ on_question, status, error: reply.error }).toEqual({ on_question, status: 422, error: 'invalid_input' });
    }
    expect((await stack.api.start(script([]))).on_question).toBe('pause');
    const { run_id } = await stack.api.start(script([delegate(script([FF]))]), { on_question: 'pause' });
    const { children_awaiting } = await stack.api.until(run_id, (run) => run.children_awaiting.length === 1);
    expect((await stack.api.read(children_awaiting[0]?.run_id as string)).on_question).toBe('pause');
    await stack.api.call('POST', `/agents/${run_id}/cancel`);
    await stack.api.untilEnded(run_id);
  });
});
