/** CONTRACT §2: limits count characters, nothing is cut, and what the agent gets of an answer. */
import {
  chosenAnswer,
  declineMessage,
  judgeAnswer,
  LIMITS,
  type Answer,
  type Question,
} from '../../../workflows/contract';
import { freeForm, multipleChoice } from '../../support/unit/questions';
import { publishedValidator } from '../../support/unit/schemas';

const choice = multipleChoice(['A', ' B ', 'はい']);

/** Each place where a person writes text: how it is sent, and what the agent gets of it. */
const places: [string, Question, (text: string) => unknown][] = [
  ['text', freeForm(), (text) => ({ kind: 'free_form', text })],
  ['other_text', choice, (text) => ({ kind: 'multiple_choice', option_id: 'other', other_text: text })],
  ['reason of a free form', freeForm(), (text) => ({ kind: 'decline', reason: text })],
  ['reason of a choice', choice, (text) => ({ kind: 'decline', reason: text })],
];

function taken(question: Question, body: unknown): Answer {
  const verdict = judgeAnswer(question, body);
  expect(verdict).toMatchObject({ ok: true });
  return (verdict as { answer: Answer }).answer;
}

function textFor(question: Question, body: unknown): string | null {
  const answer = taken(question, body);
  return answer.kind === 'decline' ? declineMessage(answer) : (chosenAnswer(question, answer)?.answer ?? null);
}

describe.each(places)('%s', (_name, question, send) => {
  test.each([
    ['a', 'ASCII'],
    ['😀', 'astral characters'],
    ['漢', 'three bytes'],
  ])('4000 of %j are taken and reach the agent whole, 4001 are refused (%s)', (character) => {
    const whole = character.repeat(4_000);
    expect(textFor(question, send(whole))).toBe(whole);
    expect(publishedValidator(question)(send(whole))).toBe(true);
    for (const length of [4_001, 8_000, 8_001, 100_000]) {
      expect(judgeAnswer(question, send(character.repeat(length))).ok).toBe(false);
      expect(publishedValidator(question)(send(character.repeat(length)))).toBe(false);
    }
  });

  test('outer white space counts: the limit is on what was sent', () => {
    expect(textFor(question, send(` ${'a'.repeat(3_998)} `))).toBe('a'.repeat(3_998));
    expect(judgeAnswer(question, send(` ${'a'.repeat(4_000)}`)).ok).toBe(false);
  });

  test('outer white space of every kind goes, everything inside stays byte for byte', () => {
    const white = ' \t\r\n\u000b\f\u0085\u00a0\u1680\u2000\u2028\u2029\u202f\u205f\u3000\ufeff';
    const inner = `line1\r\nline2 \u0085\u3000\ufeff😀 "q" <b> \\n \u200b e\u0301 \u0000 ${white}end`;
    expect(textFor(question, send(`${white}${inner}${white}`))).toBe(inner);
    expect(textFor(question, send('  SMB first '))).toBe('SMB first');
  });

  test('outer characters that are no white space stay: joiners and selectors belong to the text', () => {
    for (const text of ['❤\ufe0f', '\u200bx\u200b', '\u{1f3f4}\u{e0067}\u{e007f}', '\u2800x\u2800', '\u3164x']) {
      expect(textFor(question, send(text))).toBe(text);
    }
  });
});

test('the limit is the one of the seed', () => {
  expect(LIMITS.answerText).toBe(4_000);
});

describe('other_text beside an option', () => {
  test('a blank one may be as long as any text and changes nothing', () => {
    for (const other_text of [undefined, null, '', ' ', '\u3164', ' '.repeat(4_000)]) {
      const body = { kind: 'multiple_choice', option_id: 'q1_o1', ...(other_text === undefined ? {} : { other_text }) };
      expect(chosenAnswer(choice, taken(choice, body))).toStrictEqual({ answer: 'A', option_id: 'q1_o1' });
    }
    const tooLong = { kind: 'multiple_choice', option_id: 'q1_o1', other_text: ' '.repeat(4_001) };
    expect(judgeAnswer(choice, tooLong).ok).toBe(false);
  });
});

describe('chosenAnswer', () => {
  test('an option is its label exactly as supplied, and its id', () => {
    for (const { id, label } of choice.options ?? []) {
      if (id === 'other') continue;
      const answer = taken(choice, { kind: 'multiple_choice', option_id: id });
      expect(chosenAnswer(choice, answer)).toStrictEqual({ answer: label, option_id: id });
    }
  });

  test('the same text is the same answer in both shapes, and free form has no option_id key', () => {
    const text = '  line1\nline2 😀 "q" <b>\u0085';
    const written = taken(choice, { kind: 'multiple_choice', option_id: 'other', other_text: text });
    const free = taken(freeForm(), { kind: 'free_form', text });
    expect(chosenAnswer(choice, written)).toStrictEqual({ answer: 'line1\nline2 😀 "q" <b>', option_id: 'other' });
    expect(chosenAnswer(freeForm(), free)).toStrictEqual({ answer: 'line1\nline2 😀 "q" <b>' });
  });

  test('a write-in that repeats a label is still a write-in', () => {
    const answer = taken(choice, { kind: 'multiple_choice', option_id: 'other', other_text: 'A' });
    expect(chosenAnswer(choice, answer)).toStrictEqual({ answer: 'A', option_id: 'other' });
  });

  test('a decline has no answer, and a message only when there is something to read', () => {
    expect(chosenAnswer(choice, { kind: 'decline', reason: 'no' })).toBeNull();
    expect(declineMessage({ kind: 'decline' })).toBeNull();
    expect(declineMessage({ kind: 'decline', reason: ' \u200b\u3164' })).toBeNull();
    expect(declineMessage({ kind: 'decline', reason: ' not mine\n' })).toBe('not mine');
  });
});
