/** C03 of CASES.md: the agent supplies its own "Other". */
import { expectCleanHistories } from '../support/checks';
import type { ApiCaller } from '../support/http';
import { choice, pick, script, type Call } from '../support/scripts';
import { TestStack } from '../support/stack';

const SIX = ['A', 'B', 'C', 'D', 'E', 'F'];

describe('C03 exactly one Other', () => {
  let stack: TestStack;
  let api: ApiCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = stack.api.bounded();
  });
  afterAll(() => stack.stop());

  test.each([
    [
      ['A', 'B', 'Other'],
      ['A', 'B'],
    ],
    [
      ['A', 'B', 'other'],
      ['A', 'B'],
    ],
    [
      ['A', 'B', ' OTHER '],
      ['A', 'B'],
    ],
    [
      ['A', 'Other', 'B', 'other'],
      ['A', 'B'],
    ],
    [SIX, SIX],
    // Near by: a full-width one, one with something invisible around it, six beside one, one beside one.
    [
      ['A', 'Ｏｔｈｅｒ', 'B'],
      ['A', 'B'],
    ],
    [
      ['\u200bOther\u00a0', 'B', 'A'],
      ['B', 'A'],
    ],
    [['Other', ...SIX], SIX],
    [['A', 'Other'], ['A']],
    // No Other of the caller's: these say more than that.
    [
      ['Other!', 'Other vendor', 'Another', 'Others'],
      ['Other!', 'Other vendor', 'Another', 'Others'],
    ],
  ])('%j is shown as %j and one Other, last', async (supplied, real) => {
    const { run_id } = await api.start(script([choice(...supplied)]));
    const { pending_input_context } = await api.untilWaiting(run_id);
    const options = pending_input_context?.options ?? [];

    expect(options.map((option) => option.label)).toEqual([...real, 'Other']);
    expect(options.filter((option) => option.id === 'other')).toEqual([{ id: 'other', label: 'Other' }]);
    expect(new Set(options.map((option) => option.id)).size).toBe(real.length + 1);

    expect((await api.resume(run_id, pick(options[real.length - 1]?.id ?? ''))).status).toBe(200);
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id)).toEqual([{ answer: real.at(-1), option_id: options[real.length - 1]?.id }]);
    await expectCleanHistories(stack.client, run_id);
  });

  const malformed = (options: unknown): Call => ({
    tool: 'ask_a_human',
    args: { kind: 'multiple_choice', question: 'Which one?', ...(options === undefined ? {} : { options }) },
  });

  test.each([
    ['only an Other', ['Other']],
    ['only Others', ['Other', 'other']],
    ['seven real options', [...SIX, 'G']],
    ['one option', ['A']],
    ['no option', []],
    // Near by: more ways to have no choice, or the same one twice.
    ['seven real options and an Other', [...SIX, 'G', 'Other']],
    ['only Others in disguise', ['ＯＴＨＥＲ', ' other\u200b']],
    ['two that look the same', ['A', ' A\u200b']],
    ['a blank label', ['A', ' \u2800']],
    ['a label that is no string', ['A', 7]],
    ['no list of options', undefined],
    ['an object for a list', { 0: 'A', 1: 'B' }],
  ])('%s is refused as a tool error: nothing pauses, nothing is left pending', async (_name, options) => {
    const { run_id } = await api.start(script([malformed(options)], 'went on'));
    const ended = await api.untilEnded(run_id);
    expect(ended).toMatchObject({ status: 'completed', result: { text: 'went on' }, waiting_ms: 0 });
    expect(await api.toolResults(run_id)).toEqual([{ error: 'invalid_question', message: expect.any(String) }]);
    expect(await api.pendingAsks(run_id)).toEqual([]);
    expect((await api.events(run_id)).map((event) => event.type)).not.toContain('ask.opened');
    await expectCleanHistories(stack.client, run_id);
  });

  test('a refused ask leaves room for the next one of the same run', async () => {
    const { run_id } = await api.start(script([choice('Other'), choice('A', 'B')]));
    const waiting = await api.untilWaiting(run_id);
    expect(waiting.pending_input_context?.options?.map((option) => option.label)).toEqual(['A', 'B', 'Other']);
    expect((await api.resume(run_id, pick('q1_o2'))).status).toBe(200);
    expect((await api.untilEnded(run_id)).status).toBe('completed');
  });
});
