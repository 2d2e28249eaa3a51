/** CONTRACT §2, "tool result, exactly": no key more, no key less. Case C25. */
import {
  askInFlight,
  chosenAnswer,
  humanDeclined,
  invalidQuestion,
  noHumanInLoop,
  skippedByAuto,
  toolError,
} from '../../../workflows/contract';
import { freeForm, multipleChoice } from '../../support/unit/questions';

test('results that need no person are these, to the byte', () => {
  expect(JSON.stringify(askInFlight)).toBe('{"error":"ask_in_flight"}');
  expect(JSON.stringify(noHumanInLoop)).toBe('{"error":"no_human_in_loop"}');
  expect(JSON.stringify(skippedByAuto)).toBe('{"skipped":true,"reason":"on_question_auto"}');
  expect(JSON.stringify(invalidQuestion('why'))).toBe('{"error":"invalid_question","message":"why"}');
});

test('a decline has a message only when the person gave one', () => {
  expect(humanDeclined(null)).toStrictEqual({ skipped: true, reason: 'human_declined' });
  expect(humanDeclined('not mine')).toStrictEqual({ skipped: true, reason: 'human_declined', message: 'not mine' });
});

test('an option, a write-in and a free text are these, to the byte', () => {
  const question = multipleChoice(['A', 'B']);
  const text = '  line1\nline2 😀 "q" <b>';
  const result = (answer: Parameters<typeof chosenAnswer>[1]) => JSON.stringify(chosenAnswer(question, answer));
  expect(result({ kind: 'multiple_choice', option_id: 'q1_o1' })).toBe('{"answer":"A","option_id":"q1_o1"}');
  expect(result({ kind: 'multiple_choice', option_id: 'q1_o2', other_text: null })).toBe('{"answer":"B","option_id":"q1_o2"}'); // prettier-ignore
  expect(result({ kind: 'multiple_choice', option_id: 'other', other_text: text })).toBe(
    '{"answer":"line1\\nline2 😀 \\"q\\" <b>","option_id":"other"}',
  );
  expect(JSON.stringify(chosenAnswer(freeForm(), { kind: 'free_form', text }))).toBe(
    '{"answer":"line1\\nline2 😀 \\"q\\" <b>"}',
  );
});

test('a tool error is a code, a message and its details', () => {
  expect(toolError('child_failed', 'boom')).toStrictEqual({ error: 'child_failed', message: 'boom' });
  expect(toolError('child_failed', 'boom', { child_run_id: 'run_x' })).toStrictEqual({
    error: 'child_failed',
    message: 'boom',
    child_run_id: 'run_x',
  });
});
