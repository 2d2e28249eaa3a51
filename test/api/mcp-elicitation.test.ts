/** MCP: a client that lets its own user answer, in the middle of `wait_for_run`. */
import type { ApiCaller } from '../support/http';
import type { McpCaller, ShownForm } from '../support/mcp';
import { McpStack, READER_KEY, startOf } from '../support/mcp-stack';
import { choice, delegate, freeForm, script } from '../support/scripts';

describe('a client of MCP that can ask its user', () => {
  let on: McpStack;
  let api: ApiCaller;
  let mcp: McpCaller;
  beforeAll(async () => {
    on = await McpStack.start();
    ({ api, mcp } = on);
  });
  afterAll(() => on.stop());

  const forms: ShownForm[] = [];
  const askedBy = async (input: unknown, replies: object[], old = false) => {
    forms.length = 0;
    const user = (form: ShownForm) => {
      forms.push(form);
      const reply = replies.shift();
      if (!reply) throw new Error('asked once too often');
      return reply as never;
    };
    const caller = await on.connect({ user, old });
    const { run_id } = await mcp.run('start_run', startOf(input));
    const run = await caller.run('wait_for_run', { run_id });
    return { run_id, run, caller };
  };
  const accept = (content: object) => ({ action: 'accept', content });

  test('asks, and the answers are the user’s; the wait goes on to the next question and to the end', async () => {
    const input = script([choice('SMB', 'Enterprise'), delegate(script([freeForm('Which city?')])), choice('A', 'B')]);
    const other = { choice: 'other', other_text: '  Both, 😀 ' };
    const { run_id, run } = await askedBy(input, [
      accept({ choice: 'q1_o2', other_text: '' }),
      accept({ text: 'Porto' }),
      accept(other),
    ]);
    expect(run).toMatchObject({ status: 'completed', waited: 'ended' });
    expect(forms.map(({ message }) => message.split('\n\n').slice(-2)[0])).toEqual([
      'Which one?',
      'Which city?',
      'Which one?',
    ]);
    expect(forms[1]?.message).toContain('Your user has answered q1.');
    expect(forms[0]?.requestedSchema).toMatchObject({
      properties: {
        choice: {
          oneOf: [
            { const: 'q1_o1', title: 'SMB' },
            { const: 'q1_o2', title: 'Enterprise' },
            { const: 'other', title: expect.stringMatching(/^Other/) },
          ],
        },
      },
      required: ['choice'],
    });
    expect(forms[1]?.requestedSchema).toMatchObject({
      properties: { text: { maxLength: 4_000 } },
      required: ['text'],
    });
    const person = { channel: 'mcp', principal: 'tester', given_by: 'human' };
    expect(await on.answered(run_id)).toEqual([
      expect.objectContaining({ answer: 'Enterprise', ...person }),
      expect.objectContaining({ answer: 'Both, 😀', option_id: 'other', ...person }),
    ]);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([
      { answer: 'Enterprise', option_id: 'q1_o2' },
      { answer: 'Both, 😀', option_id: 'other' },
    ]);
  });

  test('asks again, with the reason, when the answer does not fit', async () => {
    const replies = [
      { choice: 'other' },
      { choice: 'q1_o1', other_text: 'but' },
      { choice: 'other', other_text: '\u200b' },
      { choice: 'q1_o1' },
    ];
    const { run_id, run } = await askedBy(script([choice('A', 'B')]), replies.map(accept));
    expect(run).toMatchObject({ status: 'completed' });
    expect(forms.map(({ message }) => /could not be taken: (.*)\./.exec(message)?.[1] ?? '')).toEqual([
      '',
      'other_text must not be blank',
      expect.stringMatching(/^other_text must be left out/),
      'other_text must not be blank',
    ]);
    expect(await on.answered(run_id)).toEqual([expect.objectContaining({ answer: 'A' })]);
  });

  test('a decline is the user’s decline; a form put away leaves the question open and is not shown again', async () => {
    const declined = await askedBy(script([freeForm()]), [{ action: 'decline' }]);
    expect(declined.run).toMatchObject({ status: 'completed' });
    expect(await on.answered(declined.run_id)).toEqual([
      expect.objectContaining({ channel: 'mcp', given_by: 'human' }),
    ]);
    expect(await api.toolResults(declined.run_id)).toEqual([{ skipped: true, reason: 'human_declined' }]);

    const { run, run_id, caller } = await askedBy(script([freeForm()]), [{ action: 'cancel' }]);
    expect(run).toMatchObject({ status: 'awaiting_input', waited: 'needs_answer' });
    expect(run.text).toMatch(/put the question away.*still open/);
    const quiet = await caller.run('wait_for_run', { run_id, ask_user: false });
    expect(quiet.text).toContain('resume_run');
    expect(forms).toHaveLength(1);
    await mcp.run('cancel_run', { run_id });
  });

  test('an answer that comes too late is told as such, and reaches no later question', async () => {
    const { run_id } = await mcp.run('start_run', startOf(script([freeForm('First?'), freeForm('Second?')])));
    const shown: string[] = [];
    const caller = await on.connect({
      user: async ({ message }) => {
        shown.push(message);
        if (shown.length > 1) return { action: 'cancel' };
        expect((await api.resume(run_id, { kind: 'free_form', text: 'faster' })).status).toBe(200);
        await api.untilWaiting(run_id, 'q2');
        return { action: 'accept', content: { text: 'too late' } };
      },
    });
    const run = await caller.run('wait_for_run', { run_id });
    expect(run).toMatchObject({ status: 'awaiting_input', pending_input_context: { ask_id: 'q2' } });
    expect(shown[1]).toMatch(/came too late[^]*Second\?/);
    expect(await on.answered(run_id)).toEqual([expect.objectContaining({ answer: 'faster' })]);
    await mcp.run('cancel_run', { run_id });
  });

  test('a question that somebody else has claimed is told as theirs, and nobody is asked', async () => {
    const { run_id } = await mcp.run('start_run', startOf(script([freeForm()])));
    await api.untilWaiting(run_id);
    const claim = async (principal: string, name = 'claim') => {
      await on.stack.client.workflow.getHandle(run_id).signal(name, { ask_id: 'q1', principal });
      await api.until(run_id, (run) => run.claim?.by === (name === 'claim' ? principal : undefined));
    };
    await claim('bob');
    const shown: string[] = [];
    const user = ({ message }: ShownForm) => {
      shown.push(message);
      return { action: 'accept' as const, content: { text: 'mine' } };
    };
    const caller = await on.connect({ user });
    const theirs = await caller.run('wait_for_run', { run_id });
    expect(shown).toEqual([]);
    expect(theirs.text).toMatch(/Claimed by bob until /);
    const { structured } = await caller.call('list_pending_questions', { run_id });
    expect(structured).toMatchObject({ questions: [{ run_id, claim: { by: 'bob' } }] });
    // Who holds it is asked.
    await claim('bob', 'release');
    await claim('tester');
    expect(await caller.run('wait_for_run', { run_id })).toMatchObject({ status: 'completed' });
    expect(shown).toHaveLength(1);
  });

  test('a form that comes back answers questions of the run that is waited for, and of no other', async () => {
    const [one, other] = [
      await mcp.run('start_run', startOf(script([freeForm()]))),
      await mcp.run('start_run', startOf(script([freeForm()]))),
    ];
    for (const { run_id } of [one, other]) await api.untilWaiting(run_id);
    const form = { [`${other.run_id}/q1/free_form/1`]: accept({ text: 'x' }) };
    expect(await on.returned(one.run_id, form)).toContain('nothing was answered');
    expect(await api.read(other.run_id)).toMatchObject({ status: 'awaiting_input' });
    expect(await on.returned(other.run_id, form)).toContain('Your user has answered q1.');
    await mcp.run('cancel_run', { run_id: one.run_id });
  });

  test('one call asks six times at most, and the next goes on; a key that may not answer is never asked', async () => {
    const { run, run_id, caller } = await askedBy(
      script([freeForm()]),
      Array.from({ length: 6 }, () => accept({ text: ' ' })),
    );
    expect(run).toMatchObject({ status: 'awaiting_input', waited: 'needs_answer' });
    expect(forms).toHaveLength(6);
    expect(run.text).toContain('must not be blank');
    await expect(caller.call('wait_for_run', { run_id })).rejects.toThrow(/once too often/);
    const reader = await on.connect({ user: () => ({ action: 'accept', content: { text: 'x' } }) }, READER_KEY);
    expect(await reader.run('wait_for_run', { run_id })).toMatchObject({ waited: 'needs_answer' });
    expect(await on.returned(run_id, { [`${run_id}/q1/free_form/1`]: accept({ text: 'x' }) }, READER_KEY)).toContain(
      'lacks the scope',
    );
    expect(await api.read(run_id)).toMatchObject({ status: 'awaiting_input' });
    await mcp.run('cancel_run', { run_id });
  });
});
