/** C25 of CASES.md: the agent gets the label instead of what the person typed. */
import { choice, freeForm, freeText, pick, script, writeIn } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('C25 the agent gets what the person typed', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  const TYPED = '  line1\nline2 😀 "q" <b>';
  const KEPT = 'line1\nline2 😀 "q" <b>';

  test.each([
    ['an option', choice('A', 'B'), pick('q1_o1'), { answer: 'A', option_id: 'q1_o1' }],
    ['a write-in', choice('A', 'B'), writeIn(TYPED), { answer: KEPT, option_id: 'other' }],
    ['free text', freeForm(), freeText(TYPED), { answer: KEPT }],
  ])('%s reaches it byte for byte, with no extra keys', async (_name, ask, answer, result) => {
    const { run_id } = await stack.api.start(script([ask]));
    await stack.api.untilWaiting(run_id);
    expect((await stack.api.resume(run_id, answer)).status).toBe(200);
    await stack.api.untilEnded(run_id);
    expect(await stack.api.toolResults(run_id, 'ask_a_human')).toEqual([result]);
    expect(await stack.historyTypes(run_id)).not.toContain('WorkflowTaskFailed');
  });
});
