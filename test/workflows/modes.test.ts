/** `on_question`: set when the root run starts, inherited by every descendant, and changed by nobody. */
import { delegate, freeForm, script } from '../support/scripts';
import { TestStack } from '../support/stack';
import { lineOf } from '../support/trees';

describe('the mode of a conversation', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  /** Everything a model might put into its arguments to get another mode. */
  const overrides = (mode: string) => ({
    on_question: mode,
    run: { on_question: mode },
    policy: { on_question: mode },
  });
  const conversation = (mode: string) => {
    const innermost = script([freeForm('Innermost?')]);
    const child = script([
      {
        tool: 'delegate',
        args: { agent: 'scripted', input: { ...innermost, ...overrides(mode) }, ...overrides(mode) },
      },
      freeForm('Child?'),
    ]);
    return script([delegate({ ...child, ...overrides(mode) }, overrides(mode) as never), freeForm('Root?')]);
  };

  test.each([
    ['none', 'pause', { error: 'no_human_in_loop' }],
    ['auto', 'pause', { skipped: true, reason: 'on_question_auto' }],
    ['none', 'auto', { error: 'no_human_in_loop' }],
  ])('%s holds for child and grandchild whatever their calls say of "%s"', async (mode, wanted, result) => {
    const { run_id } = await stack.api.start(conversation(wanted), { on_question: mode });
    expect(await stack.api.untilEnded(run_id)).toMatchObject({ status: 'completed', on_question: mode });
    for (const runId of await lineOf(stack.api, run_id, 2)) {
      expect((await stack.api.read(runId)).on_question).toBe(mode);
      expect(await stack.api.toolResults(runId, 'ask_a_human')).toEqual([result]);
      const types = (await stack.api.events(runId)).map((event) => event.type);
      for (const type of ['ask.opened', 'step.paused', 'child_needs_human']) expect(types).not.toContain(type);
    }
  });

  test('pause holds for a grandchild whose caller wants "none" for it', async () => {
    const { run_id } = await stack.api.start(conversation('none'));
    const line = await lineOf(stack.api, run_id, 2);
    for (const runId of [...line].reverse()) {
      expect((await stack.api.untilWaiting(runId)).on_question).toBe('pause');
      expect((await stack.api.resume(runId, { kind: 'decline' })).status).toBe(200);
    }
    expect((await stack.api.untilEnded(run_id)).status).toBe('completed');
  });

  test('an ask with a mode among its arguments is refused, and pauses nothing', async () => {
    const ask = { tool: 'ask_a_human', args: { kind: 'free_form', question: 'Well?', on_question: 'auto' } };
    const { run_id } = await stack.api.start(script([ask]));
    await stack.api.untilEnded(run_id);
    expect(await stack.api.toolResults(run_id)).toEqual([
      { error: 'invalid_question', message: expect.stringContaining('on_question') },
    ]);
  });
});
