/** CONTRACT §5: `GET /agents/{id}/asks`, pending and all with how each ended, and `GET /agents/{id}/messages` in pages. */
import { DocumentedCaller } from '../support/documented';
import {
  choice,
  decline,
  delegate,
  effect,
  freeForm,
  freeText,
  pick,
  script,
  sleep,
  writeIn,
} from '../support/scripts';
import { TestStack } from '../support/stack';

type AskList = { asks: Record<string, unknown>[] };
type MessageList = { messages: Record<string, unknown>[]; from: number; total: number; has_more: boolean };

describe('asks and messages', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
  });
  afterAll(() => stack.stop());

  const asks = async (runId: string, state?: string) =>
    (await api.call<AskList>('GET', `/agents/${runId}/asks${state ? `?state=${state}` : ''}`)).body.asks;
  const messages = async (runId: string, query = '') =>
    (await api.call<MessageList>('GET', `/agents/${runId}/messages${query}`)).body;

  test('a pending ask has its whole question, its schema, and no end', async () => {
    const { run_id } = await api.start(script([choice('A', 'B')]), { assignee: 'sam' });
    const record = await api.untilWaiting(run_id);
    const open = {
      closed_at: null,
      answer: null,
      option_id: null,
      message: null,
      principal: null,
      channel: null,
      by: null,
      given_by: null,
      attachments: [],
      claim: null,
    };
    const expected = {
      run_id,
      ...record.pending_input_context,
      state: 'pending',
      pending_input_schema: record.pending_input_schema,
      ...open,
    };
    expect(await asks(run_id)).toEqual([expected]);
    expect(await asks(run_id, 'pending')).toEqual([expected]);
    expect(await asks(run_id, 'all')).toEqual([expected]);
  });

  test('all asks of a run, oldest first, each with how it ended and by whom', async () => {
    const { run_id } = await api.start(
      script([choice('A', 'B'), choice('A', 'B'), freeForm(), freeForm(), freeForm()]),
    );
    const answers = [pick('q1_o2'), writeIn(' neither '), freeText('text'), decline('no idea')];
    for (const [index, answer] of answers.entries()) {
      await api.untilWaiting(run_id, `q${index + 1}`);
      expect((await api.resume(run_id, answer)).status).toBe(200);
    }
    await api.untilWaiting(run_id, 'q5');
    await api.call('POST', `/agents/${run_id}/cancel`);
    await api.untilEnded(run_id);

    const all = await asks(run_id, 'all');
    const brief = all.map(({ ask_id, state, answer, option_id, message }) => [
      ask_id,
      state,
      answer,
      option_id,
      message,
    ]);
    expect(brief).toEqual([
      ['q1', 'answered', 'B', 'q1_o2', null],
      ['q2', 'answered', 'neither', 'other', null],
      ['q3', 'answered', 'text', null, null],
      ['q4', 'declined', null, null, 'no idea'],
      ['q5', 'withdrawn', null, null, null],
    ]);
    const person = { principal: 'tester', channel: 'http', by: 'human' };
    for (const ask of all.slice(0, 4)) expect(ask).toMatchObject({ ...person, pending_input_schema: null });
    expect(all[4]).toMatchObject({ principal: null, channel: null, by: null, pending_input_schema: null });
    for (const ask of all) expect(String(ask.closed_at) >= String(ask.asked_at)).toBe(true);
    expect(await asks(run_id)).toEqual([]);
  });

  test('who gave an answer and the files that came with it show on the asking run and on those above', async () => {
    const { run_id: root } = await api.start(script([delegate(script([freeForm(), freeForm('more?')]))]));
    const { children_awaiting } = await api.until(root, (run) => run.children_awaiting.length === 1);
    const child = children_awaiting[0]?.run_id ?? '';
    const attachments = [{ kind: 'file', filename: 'a.pdf', media_type: null, size_bytes: 1 }];
    const told = { channel: 'mcp', given_by: 'model', attachments };
    await stack.client.workflow.getHandle(child).signal('answer', { input: freeText('yes'), ...told });
    // The second question: what became of the first one has climbed by then.
    await api.until(root, (run) => run.children_awaiting[0]?.ask_id === 'q2');
    for (const runId of [root, child]) {
      expect((await asks(runId, 'all'))[0]).toMatchObject({ run_id: child, state: 'answered', by: 'human', ...told });
    }
    const answered = (await api.events(child)).find(({ type }) => type === 'ask.answered');
    expect(answered?.data).toMatchObject(told);
    await api.call('POST', `/agents/${root}/cancel`);
    await api.untilEnded(root);
  });

  test('asks of a conversation are seen from each run for itself and all below it, in one order', async () => {
    const leaf = script([freeForm('leaf?')]);
    const middle = script([[delegate(leaf), freeForm('middle?')]]);
    const { run_id: root } = await api.start(script([[delegate(middle), freeForm('root?')]]));
    await api.until(root, (run) => run.children_awaiting.length === 2);
    const all = await asks(root);
    expect(all.map(({ question }) => question).sort()).toEqual(['leaf?', 'middle?', 'root?']);
    const times = all.map(({ asked_at }) => asked_at as string);
    expect(times).toEqual([...times].sort());
    const idOf = (question: string) => all.find((ask) => ask.question === question)?.run_id as string;
    expect(await asks(root, 'all')).toEqual(all);
    const below = (...questions: string[]) => all.filter(({ question }) => questions.includes(question as string));
    expect(await asks(idOf('middle?'))).toEqual(below('middle?', 'leaf?'));
    expect(await asks(idOf('leaf?'))).toEqual(below('leaf?'));

    // Cancelling the middle one withdraws what is below it, everywhere it is listed; the root waits on.
    await api.call('POST', `/agents/${idOf('middle?')}/cancel`);
    await api.untilEnded(idOf('middle?'));
    await api.untilEnded(idOf('leaf?'));
    expect(await asks(root)).toEqual(below('root?'));
    const states = (await asks(root, 'all')).map(({ question, state }) => [question, state]);
    expect(Object.fromEntries(states)).toEqual({ 'root?': 'pending', 'middle?': 'withdrawn', 'leaf?': 'withdrawn' });
  });

  test('the transcript is what the agent saw: each message, call and result, in order', async () => {
    const input = script(
      [[sleep(300), effect('paid')], { tool: 'ask_a_human', args: { kind: 'nonsense' } }],
      'the end',
    );
    const { run_id } = await api.start(input);
    await api.untilEnded(run_id);
    const page = await messages(run_id);
    expect(page).toMatchObject({ run_id, from: 0, total: page.messages.length, has_more: false });
    expect(page.messages).toEqual([
      { role: 'user', content: input },
      {
        role: 'assistant',
        text: null,
        tool_calls: [
          { id: 'call_1_1', tool: 'sleep', args: { ms: 300 } },
          { id: 'call_1_2', tool: 'record_effect', args: { name: 'paid' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1_1', tool: 'sleep', result: expect.anything() },
      { role: 'tool', tool_call_id: 'call_1_2', tool: 'record_effect', result: expect.anything() },
      {
        role: 'assistant',
        text: null,
        tool_calls: [{ id: 'call_2_1', tool: 'ask_a_human', args: { kind: 'nonsense' } }],
      },
      {
        role: 'tool',
        tool_call_id: 'call_2_1',
        tool: 'ask_a_human',
        result: { error: 'invalid_question', message: expect.any(String) },
      },
      { role: 'assistant', text: 'the end', tool_calls: [] },
    ]);
  });

  test('pages of the transcript hold each message once, and a page behind the end is empty', async () => {
    const { run_id } = await api.start(script(Array.from({ length: 6 }, () => sleep(1))));
    await api.untilEnded(run_id);
    const whole = await messages(run_id);
    expect(whole.total).toBe(1 + 6 * 2 + 1);
    for (const limit of [1, 3, 7, 14, 1_000]) {
      const found: unknown[] = [];
      let more = true;
      while (more) {
        const page = await messages(run_id, `?from=${found.length}&limit=${limit}`);
        expect(page).toMatchObject({ from: found.length, total: whole.total });
        expect(page.messages).toHaveLength(Math.min(limit, whole.total - found.length));
        found.push(...page.messages);
        more = page.has_more;
        expect(more).toBe(found.length < whole.total);
      }
      expect(found).toEqual(whole.messages);
    }
    expect(await messages(run_id, '?from=14')).toMatchObject({ messages: [], total: 14, has_more: false });
    expect(await messages(run_id, '?from=999999')).toMatchObject({ messages: [], total: 14, has_more: false });
  });
});
