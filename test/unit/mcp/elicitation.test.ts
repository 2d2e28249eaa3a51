/** The form in which a client's user is asked, and what comes back of it. */
import { answerOf, formOf, messageOf, returnedForm, writeFormKey } from '../../../api/mcp/elicitation';
import { buildQuestion, judgeAnswer, judgeAskArgs } from '../../../workflows/contract';

function question(args: object) {
  const verdict = judgeAskArgs(args);
  if (!verdict.ok) throw new Error(verdict.message);
  return {
    run_id: 'run_1',
    ...buildQuestion(verdict.ask, { n: 3, askedAt: '2026-11-30T00:00:00.000Z' }),
    claim: null,
  };
}
const choice = question({ kind: 'multiple_choice', question: 'Which?', options: ['A', 'B'], context: 'Because.' });
const text = question({ kind: 'free_form', question: 'What?' });

test('a choice is flat, its titles where the client’s revision has them', () => {
  const shown = (revision: string | undefined) => formOf(choice, revision).properties.choice;
  const titled = { oneOf: [{ const: 'q3_o1', title: 'A' }, { const: 'q3_o2', title: 'B' }, { const: 'other' }] };
  for (const revision of [undefined, '2026-07-28', '2025-11-25']) expect(shown(revision)).toMatchObject(titled);
  expect(shown('2025-06-18')).toMatchObject({
    enum: ['q3_o1', 'q3_o2', 'other'],
    enumNames: ['A', 'B', expect.any(String)],
  });
  expect(shown('2025-06-18')).not.toHaveProperty('oneOf');
});

test('what is filled in is the answer that the question judges', () => {
  const verdict = (content: Record<string, unknown>, of = choice) => judgeAnswer(of, answerOf(of.kind, content)).ok;
  expect(verdict({ choice: 'q3_o1' })).toBe(true);
  expect(verdict({ choice: 'q3_o1', other_text: '' })).toBe(true);
  expect(verdict({ choice: 'other', other_text: 'C' })).toBe(true);
  expect(verdict({ text: 'fine' }, text)).toBe(true);
  for (const content of [
    {},
    { choice: 'other' },
    { choice: 'q1_o1' },
    { choice: 3 },
    { choice: 'q3_o1', other_text: 'C' },
  ]) {
    expect({ content, ok: verdict(content) }).toEqual({ content, ok: false });
  }
  for (const content of [{}, { text: ' ' }, { text: 4 }]) expect(verdict(content, text)).toBe(false);
});

test('the user reads who asks, what and why, and first what went wrong', () => {
  const message = messageOf(choice, 'planner', 'That was no answer.');
  const places = ['That was no answer.', 'planner', 'Which?', 'Because.', 'decline'].map((part) =>
    message.indexOf(part),
  );
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(messageOf(text, 'planner', undefined)).toMatch(/^The agent/);
});

test('a form that comes back says which question it was for; anything else is no form', () => {
  const form = { runId: 'run_1', askId: 'q3', kind: 'free_form', round: 2 } as const;
  const key = writeFormKey(form);
  const content = { text: 'x' };
  expect(returnedForm({ [key]: { action: 'accept', content } })).toEqual({ form, action: 'accept', content });
  expect(returnedForm({ [key]: { action: 'cancel' } })).toEqual({ form, action: 'cancel', content: {} });
  const none = [
    undefined,
    {},
    { [key]: null },
    { [key]: { action: 'sing' } },
    { [key]: [] },
    { other: { action: 'accept' } },
  ];
  const bad = ['../q1/free_form/1', 'run_1/q1/poem/1', 'run_1/q1/free_form/-1', 'run_1/q1/free_form'].map((name) => ({
    [name]: { action: 'decline' },
  }));
  for (const responses of [...none, ...bad]) expect(returnedForm(responses)).toBeNull();
});
