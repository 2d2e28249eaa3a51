/** C02 of CASES.md: a length cap counted in the wrong unit. */
import { Ajv2020 } from 'ajv/dist/2020';
import { expectCleanHistories, expectInvalid } from '../support/checks';
import type { ApiCaller } from '../support/http';
import { choice, freeForm, freeText, script, writeIn } from '../support/scripts';
import { TestStack } from '../support/stack';

const SHAPES = [
  ['text', freeForm(), freeText],
  ['other_text', choice('A', 'B'), writeIn],
] as const;

/** Name, a text of 4000 characters, one of 4001. A character is a code point, so `e` with its accent is two. */
const TEXTS = [
  ['ASCII', 'a'.repeat(4000), 'a'.repeat(4001)],
  ['emoji', '😀'.repeat(4000), '😀'.repeat(4001)],
  ['a mix of one and two UTF-16 units', 'é😀'.repeat(2000), `${'é😀'.repeat(2000)}é`],
  ['combining accents', 'e\u0301'.repeat(2000), `${'e\u0301'.repeat(2000)}e`],
  ['text that trimming would shorten', ` ${'a'.repeat(3998)} `, ` ${'a'.repeat(3999)} `],
] as const;

const CASES = SHAPES.flatMap(([field, ask, body]) =>
  TEXTS.map(([name, fits, tooLong]) => [field, name, ask, body(fits), body(tooLong), fits] as const),
);

describe('C02 lengths are counted in characters', () => {
  let stack: TestStack;
  let api: ApiCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = stack.api.bounded();
  });
  afterAll(() => stack.stop());

  test.each(CASES)(
    '%s of %s: 4001 are INVALID, 4000 are taken whole, and the published schema says the same',
    async (_field, _name, ask, fits, tooLong, text) => {
      const { run_id } = await api.start(script([ask]));
      const before = await api.untilWaiting(run_id);
      const published = new Ajv2020().compile(before.pending_input_schema as object);

      expect(published(tooLong)).toBe(false);
      await expectInvalid(api, before, tooLong);

      expect(published(fits)).toBe(true);
      expect((await api.resume(run_id, fits)).status).toBe(200);
      await api.untilEnded(run_id);
      expect(await api.toolResults(run_id)).toEqual([expect.objectContaining({ answer: text.trim() })]);
      await expectCleanHistories(stack.client, run_id);
    },
  );
});
