/** The verdict on texts of one character, for every code point there is; surrogates as the lone units they are. */
import { answerSchema, isBlank, judgeAnswer } from '../../../workflows/contract';
import { freeForm, multipleChoice } from '../../support/unit/questions';
import { publishedValidator } from '../../support/unit/schemas';

const LAST = 0x10ffff;
const hex = (codePoint: number) => `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
const isSurrogate = (codePoint: number) => codePoint >= 0xd800 && codePoint <= 0xdfff;

test('every code point as the text of a free-form answer: schema and judge agree, blank is what nobody sees', () => {
  const question = freeForm();
  const published = publishedValidator(question);
  const differing: string[] = [];
  let blank = 0;
  for (let codePoint = 0; codePoint <= LAST; codePoint += 1) {
    const text = String.fromCodePoint(codePoint);
    const body = { kind: 'free_form', text };
    const ok = judgeAnswer(question, body).ok;
    if (!ok) blank += 1;
    if (published(body) !== ok || ok === isBlank(text)) differing.push(hex(codePoint));
  }
  expect(differing).toEqual([]);
  // 2,048 surrogates and some 4,500 white, ignorable, control and format characters.
  expect(blank).toBeGreaterThan(6_000);
  expect(blank).toBeLessThan(8_000);
});

test('every code point as a write-in: schema and judge agree with free form', () => {
  const question = multipleChoice();
  const published = publishedValidator(question);
  const differing: string[] = [];
  for (let codePoint = 0; codePoint <= LAST; codePoint += 1) {
    const text = String.fromCodePoint(codePoint);
    const body = { kind: 'multiple_choice', option_id: 'other', other_text: text };
    if (published(body) === isBlank(text)) differing.push(hex(codePoint));
  }
  expect(differing).toEqual([]);
});

test('every code point as other_text beside an option: taken exactly when it is blank and no lone surrogate', () => {
  const question = multipleChoice();
  const published = publishedValidator(question);
  const schema = answerSchema(question);
  const differing: string[] = [];
  for (let codePoint = 0; codePoint <= LAST; codePoint += 1) {
    const text = String.fromCodePoint(codePoint);
    const body = { kind: 'multiple_choice', option_id: 'q1_o1', other_text: text };
    const expected = isBlank(text) && !isSurrogate(codePoint);
    if (published(body) !== expected) differing.push(hex(codePoint));
    // The judge on all that are taken and on a sample of the rest: it makes a schema at each call.
    if (expected || codePoint % 61 === 0) {
      const judged = judgeAnswer(question, body).ok;
      if (judged !== expected || schema.safeParse(body).success !== expected) differing.push(hex(codePoint));
    }
  }
  expect(differing).toEqual([]);
});
