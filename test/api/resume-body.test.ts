/** CONTRACT §2 and §5, 422 `invalid_input`: the body that answers a question. The run stays paused, unchanged. */
import type { RunRecord } from '../../workflows/contract';
import { expectStillWaiting } from '../support/checks';
import { DocumentedCaller } from '../support/documented';
import { OTHER_KEY } from '../support/http';
import { MissionControl } from '../support/mission-control';
import { faultIn, refusal, refusedAs } from '../support/refusals';
import { choice, freeForm, freeText, pick, script, writeIn } from '../support/scripts';
import { TestStack } from '../support/stack';

const INVISIBLE = [
  '',
  ' ',
  '\t\r\n',
  '\u00a0',
  '\u3000',
  '\ufeff',
  '\u2028',
  '\u200b',
  '\u2060',
  '\u2800',
  '\u0000',
  '\u{e0001}',
];
const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

describe('the body of a resume', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  let mc: RunRecord;
  let ff: RunRecord;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
    mc = await api.untilWaiting((await api.start(script([choice('A', 'B')]))).run_id);
    ff = await api.untilWaiting((await api.start(script([freeForm()]))).run_id);
  });
  afterAll(() => stack.stop());

  const post = (run: RunRecord, body: unknown) => api.call('POST', `/agents/${run.run_id}/resume`, body);
  const expectFault = async (run: RunRecord, body: unknown, path: string) =>
    expect(refusal(body, await post(run, body))).toEqual(faultIn(body, path));
  const expectBad = (run: RunRecord, input: unknown, path: string) => expectFault(run, { input }, path);
  test.each([42, true, null, [], ['x'], 'null'])('is an object with an input, not %j', async (body) => {
    await expectFault(ff, typeof body === 'string' ? JSON.stringify(body) : body, '');
  });

  test('needs input, and refuses fields that it does not know', async () => {
    await expectFault(ff, {}, 'input');
    await expectFault(ff, { ask_id: 'q1' }, 'input');
    await expectFault(ff, { input: freeText('a'), answer: 'a' }, '');
    await expectFault(ff, { input: freeText('a'), principal: 'boss' }, '');
    await expectFault(ff, { input: freeText('a'), constructor: 'a' }, '');
    // A bare answer without its envelope names nothing that this call knows.
    const bare = await post(ff, freeText('a'));
    expect(bare.status).toBe(422);
  });

  test('is judged after the run was looked up: what is not there is 404, what does not wait is 409', async () => {
    const bad = [{}, { zzz: 1 }, { input: freeText('a'), zz: 1 }, { input: freeText('a'), ask_id: 7 }, []];
    const { run_id: ended } = await api.start(script([]));
    await api.untilEnded(ended);
    for (const body of bad) {
      const reply = (caller: DocumentedCaller, runId: string) => caller.call('POST', `/agents/${runId}/resume`, body);
      expect(refusal(body, await reply(api, 'run_nope'))).toEqual(refusedAs(body, 404, 'run_not_found'));
      expect(refusal(body, await reply(api.as(OTHER_KEY), ff.run_id))).toEqual(refusedAs(body, 404, 'run_not_found'));
      expect(refusal(body, await reply(api, ended))).toEqual(refusedAs(body, 409, 'run_not_waiting'));
    }
    for (const [path, body] of [
      ['/agents/run_nope/claim', {}],
      ['/agents/run_nope/release', { ask_id: 7 }],
      ['/agents/run_nope/cancel', { zzz: 1 }],
    ] as const) {
      expect(refusal(path, await api.call('POST', path, body))).toEqual(refusedAs(path, 404, 'run_not_found'));
    }
    const mission = new MissionControl(stack.api, api);
    for (const body of [{ message: 5 }, []]) {
      const reply = await mission.call('POST', '/runs/run_nope/messages', body);
      expect(refusal(body, reply)).toEqual(refusedAs(body, 404, 'run_not_found'));
      const late = await mission.call('POST', `/runs/${ended}/messages`, body);
      expect(refusal(body, late)).toEqual(refusedAs(body, 409, 'run_not_waiting'));
    }
  });

  test.each([42, 0, true, null, {}, [], ['q1'], 'q'.repeat(65)])('never coerces %j into ask_id', async (ask_id) => {
    await expectFault(ff, { input: freeText('a'), ask_id }, 'ask_id');
  });

  test.each(['x', 42, true, null, [], [freeText('a')]])('input is an object, not %j', async (input) => {
    await expectBad(ff, input, 'input');
    await expectBad(mc, input, 'input');
  });

  test.each([undefined, null, 42, true, 'Multiple_Choice', 'free-form', '', ['free_form'], {}, ...PROTOTYPE_NAMES])(
    'kind must be that of the question, not %j',
    async (kind) => {
      await expectBad(ff, { kind, text: 'a' }, 'input.kind');
      await expectBad(mc, { kind, option_id: 'q1_o1' }, 'input.kind');
    },
  );

  test('an answer of the other kind does not fit', async () => {
    await expectBad(mc, freeText('A'), 'input.kind');
    await expectBad(ff, pick('q1_o1'), 'input.kind');
  });

  test.each([undefined, null, 42, true, ['hi'], {}, [[]]])('never coerces %j into text', async (value) => {
    await expectBad(ff, { kind: 'free_form', text: value }, 'input.text');
    await expectBad(mc, { kind: 'multiple_choice', option_id: 'other', other_text: value }, 'input.other_text');
  });

  test.each(['q1_o0', 'q1_o3', 'q2_o1', 'Q1_O1', 'q1_o1 ', '1', 'A', 'Other', '', '😀', ...PROTOTYPE_NAMES])(
    'refuses the unknown option %j',
    (id) => expectBad(mc, pick(id), 'input.option_id'),
  );

  test.each([undefined, null, 1, true, ['q1_o1'], {}])('never coerces %j into option_id', (option_id) =>
    expectBad(mc, { kind: 'multiple_choice', option_id }, 'input.option_id'),
  );

  test.each(INVISIBLE)('text that nobody can see is no answer: %j', async (text) => {
    await expectBad(ff, freeText(text), 'input.text');
    await expectBad(mc, writeIn(text), 'input.other_text');
  });

  test.each(['a', '😀'])('4001 times %s is too long, wherever text is taken', async (character) => {
    const text = character.repeat(4_001);
    await expectBad(ff, freeText(text), 'input.text');
    await expectBad(mc, writeIn(text), 'input.other_text');
    await expectBad(mc, { kind: 'decline', reason: text }, 'input.reason');
    await expectBad(mc, { ...pick('q1_o1'), other_text: ' '.repeat(4_001) }, 'input.other_text');
  });

  test.each(['\\ud800', '\\udc00', 'a\\ud83d b', '\\ude00\\ud83d'])(
    'half a surrogate pair is no text: %s',
    async (half) => {
      await expectFault(ff, `{"input":{"kind":"free_form","text":"${half}"}}`, 'input.text');
      await expectFault(
        mc,
        `{"input":{"kind":"multiple_choice","option_id":"other","other_text":"${half}"}}`,
        'input.other_text',
      );
      await expectFault(ff, `{"input":{"kind":"decline","reason":"${half}"}}`, 'input.reason');
    },
  );

  test('an option other than Other takes no write-in, and no answer takes a field of another', async () => {
    await expectBad(mc, { ...pick('q1_o1'), other_text: 'x' }, 'input.other_text');
    await expectBad(mc, { ...writeIn('x'), zzz: 1 }, 'input');
    await expectBad(mc, { ...pick('q1_o1'), text: 'x' }, 'input');
    await expectBad(ff, { ...freeText('x'), option_id: 'other' }, 'input');
    await expectBad(ff, { kind: 'decline', text: 'x' }, 'input');
    for (const name of PROTOTYPE_NAMES.slice(1)) await expectBad(ff, { ...freeText('x'), [name]: 'x' }, 'input');
  });

  test.each([null, 42, true, [], {}])('never coerces %j into the reason of a decline', (reason) =>
    expectBad(ff, { kind: 'decline', reason }, 'input.reason'),
  );

  test('after all of them both runs wait with the same question, and no refusal is in their history', async () => {
    for (const run of [mc, ff]) {
      await expectStillWaiting(api, run);
      expect((await api.events(run.run_id)).map(({ type }) => type)).not.toContain('ask.rejected');
      expect(await stack.historyTypes(run.run_id)).not.toContain('WorkflowExecutionSignaled');
    }
    expect((await api.resume(mc.run_id, pick('q1_o2'))).status).toBe(200);
    expect((await api.resume(ff.run_id, freeText('😀'.repeat(4_000)))).status).toBe(200);
    await api.untilEnded(ff.run_id);
    expect(await api.toolResults(mc.run_id, 'ask_a_human')).toEqual([{ answer: 'B', option_id: 'q1_o2' }]);
    expect(await api.toolResults(ff.run_id, 'ask_a_human')).toEqual([{ answer: '😀'.repeat(4_000) }]);
  });
});
