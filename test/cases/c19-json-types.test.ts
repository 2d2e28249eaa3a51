/** C19 of CASES.md: wrong JSON types are quietly converted. */
import type { RunRecord } from '../../workflows/contract';
import { expectInvalid, expectStillWaiting } from '../support/checks';
import { failedTasks } from '../support/histories';
import { choice, decline, freeForm, freeText, pick, script, writeIn, type Call } from '../support/scripts';
import { TestStack } from '../support/stack';

/** Everything that JSON has and that is no string. */
const NO_STRINGS: unknown[] = [42, 0, -1.5, true, false, ['hi'], [], {}, { toString: 'hi' }, null];
/** Everything that JSON has and that is no object. */
const NO_OBJECTS: unknown[] = ['x', '', '{"kind":"free_form","text":"x"}', 1, true, null, [], [freeText('x')]];

const FREE_FORM: unknown[] = [
  ...NO_STRINGS.map((text) => ({ kind: 'free_form', text })),
  { kind: 'free_form' },
  { text: 'no kind' },
  ...NO_STRINGS.map((kind) => ({ kind, text: 'x' })),
  ...['Free_Form', 'FREE_FORM', 'free-form', 'freeForm', ' free_form', 'free_form ', '', 'multiple_choice'].map(
    (kind) => ({ kind, text: 'x' }),
  ),
  { kind: 'free_form', value: 'x' },
  { kind: 'free_form', Text: 'x' },
  { kind: 'decline', reason: 42 },
  { kind: 'decline', reason: ['hi'] },
  { kind: 'decline', text: 'x' },
  ...NO_OBJECTS,
];
const MULTIPLE_CHOICE: unknown[] = [
  ...[1, 0, ['a'], ['q1_o1'], null, true, {}, { id: 'q1_o1' }].map((option_id) => ({
    kind: 'multiple_choice',
    option_id,
  })),
  { kind: 'multiple_choice' },
  { option_id: 'q1_o1' },
  ...['Multiple_Choice', 'MULTIPLE_CHOICE', 'multiplechoice', 'free_form', '', null, 1, ['multiple_choice']].map(
    (kind) => ({ kind, option_id: 'q1_o1' }),
  ),
  ...['Q1_O1', ' q1_o1', 'q1_o1 ', 'q1_o3', 'A', 'Other', '1', ''].map(pick),
  ...NO_STRINGS.map((other_text) => ({ kind: 'multiple_choice', option_id: 'other', other_text })),
  // Beside an option that needs no text: absent, null or blank, and nothing else.
  ...NO_STRINGS.filter((text) => text !== null).map((other_text) => ({ ...pick('q1_o1'), other_text })),
  ...NO_OBJECTS,
];

describe('C19 an answer of the wrong JSON type', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  const paused = async (ask: Call): Promise<RunRecord> => {
    const { run_id } = await stack.api.start(script([ask]));
    return stack.api.untilWaiting(run_id);
  };

  test.each([
    ['free form', FREE_FORM, freeForm(), freeText('fine'), { answer: 'fine' }],
    ['multiple choice', MULTIPLE_CHOICE, choice('A', 'B'), pick('q1_o2'), { answer: 'B', option_id: 'q1_o2' }],
  ] as const)(
    '%s: is refused, whatever it would convert to, and a right one is taken afterwards',
    async (_name, bodies, ask, good, result) => {
      const before = await paused(ask);
      const { length } = await stack.historyTypes(before.run_id);
      for (const body of bodies) await expectInvalid(stack.api, before, body);
      // Refused at the door: none of it is in the run's history.
      expect(await stack.historyTypes(before.run_id)).toHaveLength(length);
      expect((await stack.api.resume(before.run_id, good)).status).toBe(200);
      await stack.api.untilEnded(before.run_id);
      expect(await stack.api.toolResults(before.run_id, 'ask_a_human')).toEqual([result]);
      expect(await failedTasks(stack.client, before.run_id)).toEqual([]);
    },
  );

  test.each([
    ['no input', {}],
    ['the answer itself for input', freeText('x')],
    ['a list', [{ input: freeText('x') }]],
    ['null', null],
    ['a string', '"x"'],
    ['ask_id of another type', { input: freeText('x'), ask_id: 1 }],
    ['ask_id null', { input: freeText('x'), ask_id: null }],
    ['a field beside input', { input: freeText('x'), zzz: 1 }],
    ['Input', { Input: freeText('x') }],
  ])('a body that is not {input}: %s', async (_name, body) => {
    const before = await paused(freeForm());
    const { status, body: reply } = await stack.api.call('POST', `/agents/${before.run_id}/resume`, body);
    expect({ status, reply }).toEqual({
      status: 422,
      reply: { error: 'invalid_input', message: expect.any(String), issues: expect.any(Array) },
    });
    await expectStillWaiting(stack.api, before);
    expect((await stack.api.resume(before.run_id, freeText('fine'))).status).toBe(200);
  });

  test('an unknown field is an error that names it, in every shape, and no write-in is lost over it', async () => {
    const shapes = [
      [choice('A', 'B'), writeIn('mine'), { answer: 'mine', option_id: 'other' }],
      [choice('A', 'B'), pick('q1_o1'), { answer: 'A', option_id: 'q1_o1' }],
      [freeForm(), freeText('mine'), { answer: 'mine' }],
      [freeForm(), decline('no'), { skipped: true, reason: 'human_declined', message: 'no' }],
      [choice('A', 'B'), decline(), { skipped: true, reason: 'human_declined' }],
    ] as const;
    for (const [ask, good, result] of shapes) {
      const before = await paused(ask);
      const runId = before.run_id;
      for (const extra of [{ zzz: 1 }, { zzz: null }, JSON.parse('{"__proto__zzz":{}}'), { 'zzz[]': [] }]) {
        const { status, body, text } = await stack.api.resume(runId, { ...good, ...extra });
        expect({ status, error: body.error }).toEqual({ status: 422, error: 'invalid_input' });
        expect(text).toContain('zzz');
      }
      // As raw JSON: a parser that sees a prototype there is not to drop it either.
      const raw = `{"input":${JSON.stringify({ ...good }).slice(0, -1)},"__proto__":{"zzz":1}}}`;
      const { status } = await stack.api.call('POST', `/agents/${runId}/resume`, raw);
      expect([400, 422]).toContain(status);
      await expectStillWaiting(stack.api, before);
      expect((await stack.api.resume(runId, good)).status).toBe(200);
      await stack.api.untilEnded(runId);
      expect(await stack.api.toolResults(runId, 'ask_a_human')).toEqual([result]);
      expect(await failedTasks(stack.client, runId)).toEqual([]);
    }
  });
});
