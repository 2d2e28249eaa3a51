/** C01 of CASES.md: a blank write-in passes a "non-empty" check. */
import type { RunRecord } from '../../workflows/contract';
import { expectCleanHistories, expectInvalid, expectStillWaiting } from '../support/checks';
import type { ApiCaller } from '../support/http';
import { choice, freeForm, freeText, script, writeIn, type Call } from '../support/scripts';
import { TestStack } from '../support/stack';

/** The values of the case. `undefined` is a field that is missing. */
const BLANK = [undefined, null, '', ' ', '\t\r\n', '\u00a0', '\u3000', '\ufeff', '\u2028'];
/** What else nobody sees: left alone by `.trim()`, or drawn as nothing. */
const INVISIBLE = [
  '\u0000',
  '\u0085',
  '\u00ad',
  '\u034f',
  '\u115f',
  '\u180e',
  '\u200b',
  '\u200d',
  '\u202e',
  '\u2060',
  '\u2800',
  '\u3164',
  '\ufe0f',
  '\uffa0',
  '\u{e0041}',
  ' \u200b\u2800\n\ufeff\u00a0 ',
];

const SHAPES: [string, Call, (text: unknown) => unknown][] = [
  ['a write-in', choice('A', 'B'), (text) => ({ kind: 'multiple_choice', option_id: 'other', other_text: text })],
  ['free text', freeForm(), (text) => ({ kind: 'free_form', text })],
];

describe('C01 a blank answer is refused', () => {
  let stack: TestStack;
  let api: ApiCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = stack.api.bounded();
  });
  afterAll(() => stack.stop());

  const waiting = async (ask: Call): Promise<RunRecord> => {
    const { run_id } = await api.start(script([ask]));
    return api.untilWaiting(run_id);
  };

  test.each(SHAPES)(
    '%s that shows nothing is INVALID, and a good one is taken afterwards',
    async (_name, ask, body) => {
      const before = await waiting(ask);
      for (const text of [...BLANK, ...INVISIBLE]) await expectInvalid(api, before, body(text));
      expect((await api.resume(before.run_id, body(' SMB first '))).status).toBe(200);
      await api.untilEnded(before.run_id);
      expect(await api.toolResults(before.run_id)).toEqual([expect.objectContaining({ answer: 'SMB first' })]);
      await expectCleanHistories(stack.client, before.run_id);
    },
  );

  test.each(SHAPES)('%s with one visible character among invisible ones is an answer', async (_name, ask, body) => {
    const { run_id } = await waiting(ask);
    expect((await api.resume(run_id, body('\u3000\u200b.\u2800\n'))).status).toBe(200);
    await api.untilEnded(run_id);
    // Outer white space goes; what is invisible inside stays.
    expect(await api.toolResults(run_id)).toEqual([expect.objectContaining({ answer: '\u200b.\u2800' })]);
  });

  test.each([
    ['a write-in', choice('A', 'B'), writeIn('\u200b')],
    ['free text', freeForm(), freeText('\ufeff')],
  ])('%s that is blank is refused by the workflow too, when it comes as a bare signal', async (_name, ask, blank) => {
    const before = await waiting(ask);
    await stack.client.workflow.getHandle(before.run_id).signal('answer', blank);
    const rejected = (await api.events(before.run_id)).filter((event) => event.type === 'ask.rejected');
    expect(rejected.map((event) => event.data)).toEqual([
      expect.objectContaining({ ask_id: 'q1', code: 'invalid_input', channel: 'signal' }),
    ]);
    await expectStillWaiting(api, before);
    await expectCleanHistories(stack.client, before.run_id);
  });
});
