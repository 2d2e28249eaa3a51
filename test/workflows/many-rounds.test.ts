/** A run that asks again and again: no number of rounds wears it out. */
import { executionsOf, failedTasks } from '../support/histories';
import { freeForm, freeText, script } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

const ROUNDS = 300;

describe('300 ask rounds on one run', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  test('complete as one run, through whatever continue-as-new the server suggests', async () => {
    const asks = Array.from({ length: ROUNDS }, (_none, k) => freeForm(`Question ${k + 1}?`));
    const { run_id } = await stack.api.start(script(asks, 'all asked'));
    const stream = await StreamReader.open(stack.api, run_id);
    for (let k = 1; k <= ROUNDS; k += 1) {
      const { pending_input_context } = await stack.api.untilWaiting(run_id, `q${k}`);
      expect(pending_input_context?.question).toBe(`Question ${k}?`);
      // 202 on a machine too busy to judge in time: then too it is taken.
      const { status } = await stack.api.resume(run_id, freeText(`answer ${k}`), { ask_id: `q${k}` });
      expect([200, 202]).toContain(status);
    }
    expect(await stack.api.untilEnded(run_id)).toMatchObject({ status: 'completed', result: { text: 'all asked' } });

    const answers = Array.from({ length: ROUNDS }, (_none, k) => ({ answer: `answer ${k + 1}` }));
    expect(await stack.api.toolResults(run_id)).toEqual(answers);

    // A watcher from the first moment has got every event, once, in order, across all executions.
    await stream.until((reader) => reader.ended);
    expect(stream.ids).toEqual(stream.ids.map((_id, k) => k + 1));
    expect(stream.types).not.toContain('stream.reset');
    expect(stream.types.at(-1)).toBe('run.completed');
    const opened = stream.frames.filter((frame) => frame.data.type === 'ask.opened');
    expect(opened.map((frame) => frame.data.data.ask_id)).toEqual(answers.map((_answer, k) => `q${k + 1}`));

    // Whoever comes late gets a reset and at least the last 1,000.
    const page = await stack.api.events(run_id);
    const kept = page.filter((event) => event.type !== 'stream.reset').map((event) => event.id);
    expect(kept.length).toBeGreaterThanOrEqual(1_000);
    expect(kept).toEqual(kept.map((_id, k) => (kept[0] ?? 0) + k));

    const executions = await executionsOf(stack.client, run_id);
    expect(executions.length).toBeGreaterThan(1);
    expect(await failedTasks(stack.client, run_id)).toEqual([]);
  }, 400_000);
});
