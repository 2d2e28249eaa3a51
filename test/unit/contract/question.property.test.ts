/** CONTRACT §1 and §2, for generated asks: options, their ids, and arguments of any shape. */
import fc from 'fast-check';
import {
  buildQuestion,
  isOtherLabel,
  judgeAnswer,
  judgeAskArgs,
  LIMITS,
  type Question,
} from '../../../workflows/contract';
import { anyString, nastyText, plainLabel } from '../../support/unit/arbitraries';
import { ASKED_AT } from '../../support/unit/questions';

const other = fc.constantFrom('Other', 'other', ' OTHER ', 'ｏｔｈｅｒ', 'Other\u200b', '\n\tOtHeR\u3000');
const anyLabels = fc.array(fc.oneof({ weight: 4, arbitrary: plainLabel }, other, nastyText), { maxLength: 9 });
const ask = (options: unknown) => ({ kind: 'multiple_choice', question: 'Which?', options });

function questionOf(options: string[], n: number): Question | null {
  const verdict = judgeAskArgs(ask(options));
  return verdict.ok ? buildQuestion(verdict.ask, { n, askedAt: ASKED_AT }) : null;
}

test('options are the real labels in their order, exactly as supplied, and one Other, last', () => {
  let taken = 0;
  fc.assert(
    fc.property(anyLabels, fc.integer({ min: 1, max: 50 }), (options, n) => {
      const question = questionOf(options, n);
      if (!question?.options) return;
      taken += 1;
      const real = options.filter((label) => !isOtherLabel(label));
      expect(question.options.map((option) => option.label)).toEqual([...real, 'Other']);
      const ids = question.options.map((option) => option.id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => id === 'other')).toHaveLength(1);
      expect(ids.at(-1)).toBe('other');
      expect(ids.every((id) => id !== '')).toBe(true);
      expect(real.length).toBeGreaterThanOrEqual(1);
      expect(real.length).toBeLessThanOrEqual(LIMITS.maxOptions);
      expect(options.length).toBeGreaterThanOrEqual(LIMITS.minOptions);
    }),
    { numRuns: 3_000 },
  );
  expect(taken).toBeGreaterThan(200);
});

test('what is taken does not depend on where the Others stand', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(plainLabel, { minLength: 1, maxLength: 8, selector: (label) => label.trim() }),
      fc.array(fc.tuple(other, fc.nat(9)), { minLength: 1, maxLength: 3 }),
      (real, others) => {
        const options = [...real];
        for (const [label, at] of others) options.splice(at % (options.length + 1), 0, label);
        expect(questionOf(options, 1)?.options?.map((option) => option.label) ?? null).toEqual(
          real.length <= LIMITS.maxOptions ? [...real, 'Other'] : null,
        );
      },
    ),
    { numRuns: 1_000 },
  );
});

test("ids of one ask are unknown in every other, but for the platform's Other", () => {
  const asks = Array.from({ length: 120 }, (_, i) =>
    questionOf(['A', 'B', 'C', 'D', 'E', 'F'].slice(0, 2 + (i % 5)), i + 1),
  );
  const ids = asks
    .flatMap((question) => question?.options?.map((option) => option.id) ?? [])
    .filter((id) => id !== 'other');
  expect(new Set(ids).size).toBe(ids.length);
  fc.assert(
    fc.property(fc.nat(119), fc.nat(119), (one, two) => {
      fc.pre(one !== two);
      for (const { id } of asks[one]?.options ?? []) {
        if (id === 'other') continue;
        expect(judgeAnswer(asks[two] as Question, { kind: 'multiple_choice', option_id: id }).ok).toBe(false);
      }
    }),
  );
});

test('arguments of any JSON never throw, and a taken ask is within every limit', () => {
  const nearly = fc.record(
    {
      kind: fc.oneof(fc.constantFrom('multiple_choice', 'free_form'), fc.jsonValue()),
      question: fc.oneof(nastyText, anyString, fc.jsonValue()),
      context: fc.oneof(nastyText, fc.jsonValue()),
      options: fc.oneof(anyLabels, fc.array(fc.jsonValue()), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        nearly,
        fc.jsonValue(),
        fc.json().map((text): unknown => JSON.parse(text)),
      ),
      (args) => {
        const verdict = judgeAskArgs(args);
        if (!verdict.ok) return expect(verdict.message).toEqual(expect.stringMatching(/./));
        const { question, context, labels } = verdict.ask;
        expect(Array.from(question).length).toBeLessThanOrEqual(4_000);
        expect(Array.from(context ?? '').length).toBeLessThanOrEqual(16_000);
        for (const label of labels ?? []) expect(Array.from(label).length).toBeLessThanOrEqual(1_000);
      },
    ),
    { numRuns: 3_000 },
  );
});
