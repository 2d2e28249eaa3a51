/** Issue 4, approval gate: nobody's judgement may approve on a person's behalf, so a model's answer never decides one. */
import { judgeAnswer, PERSON_NEEDED } from '../../../workflows/contract';
import { takeAnswer } from '../../../workflows/state/judge';
import { expectGoodEvents, expectPlainJson, TestRun } from '../../support/unit/runs';

const approval = { kind: 'multiple_choice', question: 'May it?', options: ['Approve', 'Reject'] };
const answers = [
  ['Approve', { kind: 'multiple_choice', option_id: 'q1_o1' }],
  ['Reject', { kind: 'multiple_choice', option_id: 'q1_o2' }],
  ['other arguments', { kind: 'multiple_choice', option_id: 'other', other_text: '{"to":"Bob"}' }],
  ['a decline', { kind: 'decline' }],
] as const;

function approvalRun(): TestRun {
  const run = new TestRun();
  run.ask(approval, { approval: true });
  return run;
}

describe('an approval', () => {
  test.each(answers)('%s of a model is refused with what to do, and the ask stays open', (_name, input) => {
    const run = approvalRun();
    const outcome = takeAnswer(run.state, { answer_id: 'a1', ask_id: 'q1', input, channel: 'mcp', given_by: 'model' });
    expect(outcome).toMatchObject({
      verdict: 'invalid_input',
      issues: [{ path: 'given_by', code: PERSON_NEEDED, message: expect.stringContaining('person') }],
    });
    expect(run.state.data.status).toBe('awaiting_input');
    expect(run.state.snapshot()).toMatchObject({ approval: true, pending: { ask_id: 'q1' } });
    expect(run.dataOf('ask.rejected')).toMatchObject([{ ask_id: 'q1', code: 'invalid_input', channel: 'mcp' }]);
    expectGoodEvents(run.events);
    expectPlainJson(run.state.data);
  });

  test.each(answers)('%s of a person is taken, whether the door tells or not', (_name, input) => {
    for (const told of [{}, { channel: 'mcp', given_by: 'human' }]) {
      const run = approvalRun();
      expect(takeAnswer(run.state, { input, ...told }).verdict).toBe('taken');
      expect(run.state.snapshot()).not.toHaveProperty('approval');
      expectPlainJson(run.state.data);
    }
  });

  test('of before does not make the next question one; continue-as-new keeps what the pending one is', () => {
    const run = approvalRun();
    takeAnswer(run.state, { input: { kind: 'decline' } });
    run.ask(approval);
    expect(takeAnswer(run.state, { input: { kind: 'decline' }, given_by: 'model' }).verdict).toBe('taken');
    const carried = approvalRun();
    carried.continueAsNew();
    expect(takeAnswer(carried.state, { input: { kind: 'decline' }, given_by: 'model' }).verdict).toBe('invalid_input');
  });

  test('is what the doors judge by too; any other question a model may answer', () => {
    const question = new TestRun().ask(approval);
    for (const [, input] of answers) {
      expect(judgeAnswer(question, input, { approval: true, given_by: 'model' }).ok).toBe(false);
      expect(judgeAnswer(question, input, { approval: true, given_by: 'human' }).ok).toBe(true);
      expect(judgeAnswer(question, input, { given_by: 'model' }).ok).toBe(true);
    }
  });
});
