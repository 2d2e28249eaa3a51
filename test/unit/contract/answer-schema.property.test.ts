/** CONTRACT §2: the published schema, the zod schema and the judge give the same verdict for every body. */
import fc from 'fast-check';
import { answerSchema, judgeAnswer, pendingInputSchema, type Question } from '../../../workflows/contract';
import {
  anyBody,
  anyQuestion,
  goodBody,
  INVISIBLE,
  LONE_SURROGATES,
  PROTOTYPE_NAMES,
} from '../../support/unit/arbitraries';
import { freeForm, jsonObject, multipleChoice } from '../../support/unit/questions';
import { publishedValidator } from '../../support/unit/schemas';

/** The one verdict of all three; fails when they differ. */
function verdictOf(question: Question, body: unknown): boolean {
  const published = publishedValidator(question)(body);
  const judged = judgeAnswer(question, body);
  const parsed = answerSchema(question).safeParse(body);
  expect({ body, published, zod: parsed.success }).toEqual({ body, published: judged.ok, zod: judged.ok });
  if (judged.ok) {
    // Nothing coerced, stripped or cut.
    expect(judged.answer).toEqual(body);
    expect(parsed.data).toEqual(body);
  } else {
    expect(judged.issues.length).toBeGreaterThan(0);
    for (const issue of judged.issues) expect(issue.message.length).toBeLessThan(400);
  }
  return judged.ok;
}

describe('one verdict on every body', () => {
  test('generated questions and generated bodies', () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(
        anyQuestion.chain((question) => fc.tuple(fc.constant(question), anyBody(question))),
        ([question, body]) => void (verdictOf(question, body) ? (seen.taken += 1) : (seen.refused += 1)),
      ),
      { numRuns: 6_000 },
    );
    // Neither side is rare, or the property would say nothing.
    expect(seen.taken).toBeGreaterThan(600);
    expect(seen.refused).toBeGreaterThan(600);
  });

  test('a good body is taken', () => {
    fc.assert(
      fc.property(
        anyQuestion.chain((question) => fc.tuple(fc.constant(question), goodBody(question))),
        ([question, fields]) => verdictOf(question, jsonObject(fields)),
      ),
      { numRuns: 1_000 },
    );
  });

  test('any JSON value that is not an object is refused', () => {
    for (const body of [null, true, false, 0, 1, '', 'x', 'decline', [], [{ kind: 'decline' }], ['kind', 'decline']]) {
      expect(verdictOf(freeForm(), body)).toBe(false);
      expect(verdictOf(multipleChoice(), body)).toBe(false);
    }
    expect(judgeAnswer(freeForm(), undefined).ok).toBe(false);
  });

  test.each([...PROTOTYPE_NAMES, 'zzz', '', 'reason', 'option_id'])('the unknown field %p is refused', (name) => {
    for (const value of ['x', null, {}, { kind: 'free_form', text: 'x' }]) {
      expect(verdictOf(freeForm(), jsonObject([['kind', 'free_form'], ['text', 'x'], [name, value]]))).toBe(false); // prettier-ignore
      expect(verdictOf(freeForm(), jsonObject([[name, value], ['kind', 'decline']]))).toBe(name === 'reason' && value === 'x'); // prettier-ignore
    }
  });

  test('fields that hang on a prototype are not fields', () => {
    expect(verdictOf(freeForm(), JSON.parse('{"__proto__":{"kind":"free_form","text":"x"}}'))).toBe(false);
    expect(verdictOf(multipleChoice(), JSON.parse('{"kind":"multiple_choice","__proto__":{"option_id":"q1_o1"}}'))).toBe(false); // prettier-ignore
  });

  test.each([...PROTOTYPE_NAMES, '', 'Other', ' other', 'q2_o1', 'q1_o0', 'q1_o3', 'q11_o1', 'A', 'q1'])(
    'the option id %p is refused where it names no option',
    (option_id) => {
      const question = multipleChoice(['A', 'B'], 1);
      expect(verdictOf(question, { kind: 'multiple_choice', option_id })).toBe(false);
      expect(verdictOf(question, { kind: 'multiple_choice', option_id, other_text: 'x' })).toBe(false);
    },
  );

  test.each([1, 2, 3, 4, 5, 6])('with %i labels every option and Other is taken, the next one is not', (count) => {
    const question = multipleChoice(['A', 'B', 'C', 'D', 'E', 'F'].slice(0, count), 7);
    for (const { id } of question.options ?? []) {
      const isOther = id === 'other';
      expect(verdictOf(question, { kind: 'multiple_choice', option_id: id })).toBe(!isOther);
      expect(verdictOf(question, { kind: 'multiple_choice', option_id: id, other_text: 'x' })).toBe(isOther);
      expect(verdictOf(question, { kind: 'multiple_choice', option_id: id, other_text: null })).toBe(!isOther);
      expect(verdictOf(question, { kind: 'multiple_choice', option_id: id, other_text: ' \u200b' })).toBe(!isOther);
    }
    expect(verdictOf(question, { kind: 'multiple_choice', option_id: `q7_o${count + 1}` })).toBe(false);
  });

  test.each([...INVISIBLE])('text of nothing but %j is blank', (character) => {
    const question = multipleChoice();
    for (const text of [character, character.repeat(3), ` ${character}\u200d`]) {
      expect(verdictOf(freeForm(), { kind: 'free_form', text })).toBe(false);
      expect(verdictOf(freeForm(), { kind: 'free_form', text: `${text}x${text}` })).toBe(true);
      expect(verdictOf(question, { kind: 'multiple_choice', option_id: 'other', other_text: text })).toBe(false);
      expect(verdictOf(question, { kind: 'multiple_choice', option_id: 'q1_o1', other_text: text })).toBe(true);
      expect(verdictOf(question, { kind: 'multiple_choice', option_id: 'q1_o1', other_text: `${text}x` })).toBe(false);
    }
  });

  test.each(LONE_SURROGATES)('the lone surrogate %j is refused wherever it stands', (unit) => {
    for (const text of [unit, `a${unit}`, `${unit}a`, `😀${unit}😀`]) {
      expect(verdictOf(freeForm(), { kind: 'free_form', text })).toBe(false);
      expect(verdictOf(freeForm(), { kind: 'decline', reason: text })).toBe(false);
      expect(verdictOf(multipleChoice(), { kind: 'multiple_choice', option_id: 'other', other_text: text })).toBe(
        false,
      );
      expect(verdictOf(multipleChoice(), { kind: 'multiple_choice', option_id: 'q1_o1', other_text: ` ${unit}` })).toBe(false); // prettier-ignore
    }
  });

  test.each([undefined, null, 42, true, ['hi'], {}, [], 0, false])('%j is no text', (value) => {
    const text = value === undefined ? {} : { text: value };
    const other_text = value === undefined ? {} : { other_text: value };
    expect(verdictOf(freeForm(), { kind: 'free_form', ...text })).toBe(false);
    expect(verdictOf(multipleChoice(), { kind: 'multiple_choice', option_id: 'other', ...other_text })).toBe(false);
    const beside = verdictOf(multipleChoice(), { kind: 'multiple_choice', option_id: 'q1_o1', ...other_text });
    expect(beside).toBe(value === undefined || value === null);
  });

  test.each([undefined, null, 1, 'Multiple_Choice', 'MULTIPLE_CHOICE', 'free_form ', '', [], ['multiple_choice'], {}])(
    'the kind %j is refused',
    (value) => {
      const kind = value === undefined ? {} : { kind: value };
      expect(verdictOf(multipleChoice(), { ...kind, option_id: 'q1_o1' })).toBe(false);
      expect(verdictOf(freeForm(), { ...kind, text: 'x' })).toBe(false);
    },
  );

  test.each([1, ['q1_o1'], null, {}, true])('the option id %j is refused', (option_id) => {
    expect(verdictOf(multipleChoice(), { kind: 'multiple_choice', option_id })).toBe(false);
    expect(verdictOf(multipleChoice(), { kind: 'multiple_choice', option_id, other_text: 'x' })).toBe(false);
  });

  test('an answer of the other shape is refused, a decline never', () => {
    expect(verdictOf(multipleChoice(), { kind: 'free_form', text: 'x' })).toBe(false);
    expect(verdictOf(freeForm(), { kind: 'multiple_choice', option_id: 'other', other_text: 'x' })).toBe(false);
    for (const question of [freeForm(), multipleChoice()]) {
      expect(verdictOf(question, { kind: 'decline' })).toBe(true);
      expect(verdictOf(question, { kind: 'decline', reason: '' })).toBe(true);
      expect(verdictOf(question, { kind: 'decline', reason: null })).toBe(false);
      expect(verdictOf(question, { kind: 'decline', text: 'x' })).toBe(false);
    }
  });
});

describe('the published schema', () => {
  test('is JSON Schema 2020-12, plain JSON, and the same each time it is printed', () => {
    for (const question of [freeForm(3), multipleChoice(['A', 'B', 'C'], 4)]) {
      const schema = pendingInputSchema(question);
      expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
      expect(JSON.parse(JSON.stringify(schema))).toStrictEqual(schema);
      expect(pendingInputSchema(structuredClone(question))).toStrictEqual(schema);
    }
  });

  test('names the field at fault in issues', () => {
    const paths = (question: Question, body: unknown) => {
      const verdict = judgeAnswer(question, body);
      return verdict.ok ? [] : verdict.issues.map(({ path, code }) => [path, code]);
    };
    expect(paths(freeForm(), { kind: 'free_form', text: ' ' })).toEqual([['text', 'blank']]);
    expect(paths(freeForm(), { kind: 'free_form', text: 'a'.repeat(4001) })).toEqual([['text', 'too_long']]);
    expect(paths(freeForm(), { kind: 'free_form', text: '\ud800' })).toEqual([['text', 'lone_surrogate']]);
    expect(paths(freeForm(), { kind: 'free_form', text: 1 })).toEqual([['text', 'invalid_type']]);
    expect(paths(freeForm(), { kind: 'free_form', text: 'x', zzz: 1 })).toEqual([['', 'unrecognized_keys']]);
    expect(paths(freeForm(), { kind: 'nope' })).toEqual([['kind', 'invalid_value']]);
    expect(paths(multipleChoice(), { kind: 'multiple_choice', option_id: 'q2_o1' })).toEqual([['option_id', 'invalid_value']]); // prettier-ignore
    expect(paths(multipleChoice(), { kind: 'multiple_choice', option_id: 'other', other_text: '' })).toEqual([['other_text', 'blank']]); // prettier-ignore
    expect(paths(multipleChoice(), { kind: 'multiple_choice', option_id: 'q1_o1', other_text: 'x' })).toEqual([['other_text', 'not_blank']]); // prettier-ignore
  });
});
