/** MCP over HTTP: the tools as a host's official client calls them, whole flows on the real stack. */
import type { ApiCaller } from '../support/http';
import { OTHER_KEY, TEST_KEY, TEST_KEYS } from '../support/http';
import { McpCaller, type McpOptions, type ShownForm } from '../support/mcp';
import { choice, delegate, freeForm, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

const READER = 'reader-key-0000000';
const keys = [...TEST_KEYS, { name: 'reader', key: READER, workspace: 'acme', scopes: ['read' as const] }];
const start = (input: unknown, more = {}) => ({ agent: 'scripted', input, ...more });

describe('MCP over HTTP', () => {
  let stack: TestStack;
  let api: ApiCaller;
  let mcp: McpCaller;
  const callers: McpCaller[] = [];
  const connect = async (options: McpOptions = {}, key = TEST_KEY) => {
    const caller = await McpCaller.http(api.url, key, options);
    callers.push(caller);
    return caller;
  };
  beforeAll(async () => {
    stack = await TestStack.start({ app: { keys } });
    api = stack.api;
    mcp = await connect();
  });
  afterAll(async () => {
    for (const caller of callers) await caller.close();
    await stack.stop();
  });

  const answered = async (runId: string) =>
    (await api.events(runId)).filter(({ type }) => /^ask\.(answered|declined)$/.test(type)).map(({ data }) => data);

  test('lists its tools with schemas and annotations', async () => {
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_agents',
      'start_run',
      'get_run',
      'wait_for_run',
      'list_pending_questions',
      'resume_run',
      'cancel_run',
    ]);
    for (const tool of tools) {
      expect(tool).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } });
      expect(tool.description?.length).toBeGreaterThan(30);
      expect(Object.values(tool.annotations ?? {}).filter((hint) => typeof hint === 'boolean')).toHaveLength(4);
    }
    const hints = Object.fromEntries(tools.map(({ name, annotations: it }) => [name, it]));
    for (const name of ['list_agents', 'get_run', 'list_pending_questions']) {
      expect(hints[name]).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    }
    expect(hints.cancel_run).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
    expect(mcp.client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  });

  test('a model starts a run, waits, reads the question, errs, answers and reads the result', async () => {
    const agents = await mcp.call('list_agents');
    expect(agents.text).toContain('- scripted: ');
    expect(agents.structured.agents).toContainEqual(expect.objectContaining({ name: 'scripted' }));

    const started = await mcp.run('start_run', start(script([sleep(300), choice('SMB', 'Enterprise')])));
    const { run_id } = started;
    const waiting = await mcp.run('wait_for_run', { run_id });
    expect(waiting).toMatchObject({ status: 'awaiting_input', waited: 'needs_answer' });
    expect(waiting.pending_questions).toEqual([{ run_id, ...waiting.pending_input_context }]);
    const read = await mcp.run('get_run', { run_id });
    for (const { text } of [waiting, read]) {
      expect(text).toContain('Which one?');
      for (const line of ['- q1_o1: SMB', '- q1_o2: Enterprise', '- other: Other']) expect(text).toContain(line);
      expect(text).toContain('resume_run');
      expect(text).toContain(
        JSON.stringify({ run_id, ask_id: 'q1', input: { kind: 'multiple_choice', option_id: 'q1_o1' } }),
      );
      expect(text).toMatch(/relay .* to your user/);
    }
    expect(read).toMatchObject({
      ...(await api.read(run_id)),
      active_ms: expect.any(Number),
      waiting_ms: expect.any(Number),
    });

    const input = { kind: 'multiple_choice', option_id: 'q1_o9' };
    const wrong = await mcp.refused('resume_run', { run_id, input });
    expect(wrong).toMatchObject({ error: 'invalid_input', issues: [{ path: 'input.option_id' }] });
    expect(await mcp.run('get_run', { run_id })).toMatchObject({ status: 'awaiting_input' });
    expect(
      await mcp.refused('resume_run', { run_id, input: { ...input, option_id: 'q1_o2' }, ask_id: 'q2' }),
    ).toMatchObject({
      error: 'ask_mismatch',
    });

    const right = { run_id, ask_id: 'q1', input: { ...input, option_id: 'q1_o2' } };
    const resumed = await mcp.run('resume_run', right);
    expect(resumed).toMatchObject({ answer: 'taken', pending_questions: [], pending_input_context: null });
    expect(await mcp.refused('resume_run', right)).toMatchObject({ error: 'run_not_waiting' });
    const ended = await mcp.run('wait_for_run', { run_id });
    expect(ended).toMatchObject({ status: 'completed', waited: 'ended', result: { text: 'done' } });
    expect(ended.text).toContain('"done"');
    expect(await answered(run_id)).toEqual([
      expect.objectContaining({
        answer: 'Enterprise',
        channel: 'mcp',
        principal: 'tester',
        by: 'human',
        given_by: 'model',
      }),
    ]);
  });

  test('what the user said is recorded as theirs; a key makes a retry one answer', async () => {
    const { run_id } = await mcp.run('start_run', start(script([freeForm()]), { idempotency_key: 'mcp-start-1' }));
    const again = await mcp.run('start_run', start(script([freeForm()]), { idempotency_key: 'mcp-start-1' }));
    expect(again.run_id).toBe(run_id);
    await mcp.run('wait_for_run', { run_id });
    const input = { kind: 'free_form', text: 'so the user says' };
    const answer = { run_id, input, answered_by: 'user', idempotency_key: 'mcp-answer-1' };
    for (let k = 0; k < 2; k += 1) expect(await mcp.run('resume_run', answer)).toMatchObject({ answer: 'taken' });
    expect(await answered(run_id)).toEqual([expect.objectContaining({ channel: 'mcp', given_by: 'human' })]);
  });

  test('a sub-agent’s question shows on its caller and is answered on its own run id; cancelling withdraws it', async () => {
    // One asks later: asks of one millisecond are ordered by other means in a conversation than in the inbox.
    const children = [delegate(script([freeForm('Which city?')])), delegate(script([sleep(100), freeForm()]))];
    const { run_id } = await mcp.run('start_run', start(script([children]), { assignee: 'mcp@contoso.com' }));
    await api.until(run_id, (run) => run.children_awaiting.length === 2);
    const waiting = await mcp.run('wait_for_run', { run_id });
    expect(waiting).toMatchObject({ status: 'running', waited: 'needs_answer' });
    const [first, second] = waiting.pending_questions.map((question) => question.run_id) as [string, string];
    expect(first).not.toBe(run_id);
    expect(waiting.text).toContain(`of run ${first}`);
    expect(await mcp.refused('resume_run', { run_id, input: { kind: 'free_form', text: 'x' } })).toMatchObject({
      error: 'run_not_waiting',
    });

    const ofRun = await mcp.call('list_pending_questions', { run_id });
    expect(ofRun.structured).toMatchObject({ count: 2, questions: [{ run_id: first }, { run_id: second }] });
    expect(ofRun.text).toContain('2 questions wait');
    const mine = await mcp.call('list_pending_questions', { assignee: 'mcp@contoso.com', limit: 1 });
    expect(mine.structured).toMatchObject({
      count: 2,
      questions: [{ run_id: first }],
      next_cursor: expect.any(String),
    });
    const cursor = mine.structured.next_cursor;
    const rest = await mcp.call('list_pending_questions', { assignee: 'mcp@contoso.com', cursor });
    expect(rest.structured).toMatchObject({ questions: [{ run_id: second }], next_cursor: null });

    expect(await mcp.run('resume_run', { run_id: first, input: { kind: 'free_form', text: 'Porto' } })).toMatchObject({
      run_id: first,
    });
    expect((await mcp.run('get_run', { run_id })).pending_questions.map((question) => question.run_id)).toEqual([
      second,
    ]);
    await mcp.run('cancel_run', { run_id });
    const ended = await mcp.run('wait_for_run', { run_id });
    expect(ended).toMatchObject({ status: 'cancelled', waited: 'ended', pending_questions: [] });
    expect(await mcp.run('cancel_run', { run_id })).toMatchObject({ status: 'cancelled' });
  });

  test('what cannot be done is a tool error with a code, and the run is unharmed', async () => {
    const { run_id } = await mcp.run('start_run', start(script([choice('A', 'B')])));
    await mcp.run('wait_for_run', { run_id });
    const stranger = await connect({}, OTHER_KEY);
    const reader = await connect({}, READER);
    const input = { kind: 'multiple_choice', option_id: 'q1_o1' };
    const refusals: [McpCaller, string, Record<string, unknown>, string][] = [
      [stranger, 'get_run', { run_id }, 'run_not_found'],
      [stranger, 'wait_for_run', { run_id }, 'run_not_found'],
      [stranger, 'resume_run', { run_id, input }, 'run_not_found'],
      [stranger, 'cancel_run', { run_id }, 'run_not_found'],
      [stranger, 'list_pending_questions', { run_id }, 'run_not_found'],
      [mcp, 'get_run', { run_id: 'no such run' }, 'run_not_found'],
      [reader, 'start_run', start(script([])), 'forbidden'],
      [reader, 'resume_run', { run_id, input }, 'forbidden'],
      [reader, 'cancel_run', { run_id }, 'forbidden'],
      [mcp, 'start_run', { agent: 'nobody', input: {} }, 'invalid_input'],
      [mcp, 'start_run', { agent: 'scripted' }, 'invalid_input'],
      [mcp, 'start_run', start({ turns: 'none' }), 'invalid_input'],
      [mcp, 'start_run', start(script([]), { run_id }), 'run_exists'],
      [mcp, 'start_run', start(script([]), { on_question: 'never' }), 'invalid_input'],
      [mcp, 'get_run', {}, 'invalid_input'],
      [mcp, 'get_run', { run_id, zzz: 1 }, 'invalid_input'],
      [mcp, 'wait_for_run', { run_id, timeout_seconds: 3_600 }, 'invalid_input'],
      [mcp, 'list_pending_questions', { run_id, limit: 3 }, 'invalid_input'],
      [mcp, 'list_pending_questions', { cursor: 'x' }, 'malformed_request'],
      [mcp, 'resume_run', { run_id }, 'invalid_input'],
      [mcp, 'resume_run', { run_id, input: JSON.stringify(input) }, 'invalid_input'],
      [mcp, 'resume_run', { run_id, input, answered_by: 'nobody' }, 'invalid_input'],
      [mcp, 'resume_run', { run_id, input: { ...input, zzz: 1 } }, 'invalid_input'],
      [mcp, 'resume_run', { run_id, input: { kind: 'free_form', text: 'A' } }, 'invalid_input'],
    ];
    for (const [caller, name, args, code] of refusals) {
      const { error, message } = await caller.refused(name, args);
      expect({ name, args, error }).toEqual({ name, args, error: code });
      expect(message).not.toBe('');
    }
    expect(await reader.run('wait_for_run', { run_id })).toMatchObject({ status: 'awaiting_input' });
    expect(await mcp.run('resume_run', { run_id, input })).toMatchObject({ answer: 'taken' });
    await expect(mcp.call('no_such_tool')).rejects.toThrow(/no_such_tool/);
  });

  test('a wait is bounded, tells how far it is, and ends when the client cancels it', async () => {
    const { run_id } = await mcp.run('start_run', start(script([sleep(60_000)])));
    expect(await mcp.run('wait_for_run', { run_id, timeout_seconds: 0 })).toMatchObject({ waited: 'timed_out' });
    const told: unknown[] = [];
    const args = { run_id, timeout_seconds: 1 };
    const result = await mcp.client.callTool(
      { name: 'wait_for_run', arguments: args },
      { onprogress: (progress) => told.push(progress) },
    );
    expect(result.structuredContent).toMatchObject({ status: 'running', waited: 'timed_out' });
    expect(told[0]).toMatchObject({ total: 1, message: expect.stringContaining(run_id) });
    const leave = new AbortController();
    const waiting = mcp.client.callTool(
      { name: 'wait_for_run', arguments: { run_id } },
      { signal: leave.signal, onprogress: () => leave.abort() },
    );
    await expect(waiting).rejects.toThrow();
    await mcp.run('cancel_run', { run_id });
  });

  describe('a client that can ask its user', () => {
    const forms: ShownForm[] = [];
    const askedBy = async (input: unknown, replies: object[], old = false) => {
      forms.length = 0;
      const user = (form: ShownForm) => {
        forms.push(form);
        const reply = replies.shift();
        if (!reply) throw new Error('asked once too often');
        return reply as never;
      };
      const caller = await connect({ user, old });
      const { run_id } = await mcp.run('start_run', start(input));
      const run = await caller.run('wait_for_run', { run_id });
      return { run_id, run, caller };
    };
    const accept = (content: object) => ({ action: 'accept', content });

    test('asks, and the answers are the user’s; the wait goes on to the next question and to the end', async () => {
      const input = script([
        choice('SMB', 'Enterprise'),
        delegate(script([freeForm('Which city?')])),
        choice('A', 'B'),
      ]);
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
      expect(await answered(run_id)).toEqual([
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
      expect(await answered(run_id)).toEqual([expect.objectContaining({ answer: 'A' })]);
    });

    test('a decline is the user’s decline; a form put away leaves the question open and is not shown again', async () => {
      const declined = await askedBy(script([freeForm()]), [{ action: 'decline' }]);
      expect(declined.run).toMatchObject({ status: 'completed' });
      expect(await answered(declined.run_id)).toEqual([expect.objectContaining({ channel: 'mcp', given_by: 'human' })]);
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
      const { run_id } = await mcp.run('start_run', start(script([freeForm('First?'), freeForm('Second?')])));
      const shown: string[] = [];
      const caller = await connect({
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
      expect(await answered(run_id)).toEqual([expect.objectContaining({ answer: 'faster' })]);
      await mcp.run('cancel_run', { run_id });
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
      const reader = await connect({ user: () => ({ action: 'accept', content: { text: 'x' } }) }, READER);
      expect(await reader.run('wait_for_run', { run_id })).toMatchObject({ waited: 'needs_answer' });
      await mcp.run('cancel_run', { run_id });
    });
  });

  test('a client of an older protocol has the plain tools', async () => {
    const old = await connect({ old: true, user: () => ({ action: 'accept', content: { text: 'x' } }) });
    expect(old.client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    const { run_id } = await old.run('start_run', start(script([sleep(300), freeForm()])));
    const waiting = await old.run('wait_for_run', { run_id });
    expect(waiting).toMatchObject({ status: 'awaiting_input', waited: 'needs_answer' });
    expect(waiting.text).toContain('What do you think?');
    expect(await old.refused('resume_run', { run_id, input: { kind: 'free_form', text: '' } })).toMatchObject({
      error: 'invalid_input',
    });
    expect(await old.run('resume_run', { run_id, input: { kind: 'free_form', text: 'fine' } })).toMatchObject({
      answer: 'taken',
    });
    expect(await old.run('wait_for_run', { run_id })).toMatchObject({ status: 'completed' });
  });

  describe('as HTTP', () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      fetch(`${api.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TEST_KEY}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });

    test.each(['', 'Bearer', 'Bearer nobody-knows-this-key', `Basic ${TEST_KEY}`])(
      '401 comes first: %p',
      async (authorization) => {
        for (const method of ['POST', 'GET', 'DELETE']) {
          const body = method === 'POST' ? { body: '{' } : {};
          const headers = { authorization, 'content-type': 'text/plain', origin: 'https://evil.example' };
          const reply = await fetch(`${api.url}/mcp`, { method, headers, ...body });
          expect(reply.status).toBe(401);
          expect(await reply.json()).toMatchObject({ error: 'unauthorized' });
          expect(reply.headers.get('www-authenticate')).toBe('Bearer');
        }
      },
    );

    test('takes JSON of our size from pages of this host and from programs, one message at a time', async () => {
      const told = async (reply: Response) => ({
        status: reply.status,
        error: ((await reply.json()) as { error: unknown }).error,
      });
      expect((await post(ping)).status).toBe(200);
      expect((await post(ping, { origin: 'http://localhost:6274' })).status).toBe(200);
      expect(await told(await post(ping, { origin: 'https://evil.example' }))).toEqual({
        status: 403,
        error: 'forbidden',
      });
      expect(await told(await post(ping, { origin: 'null' }))).toEqual({ status: 403, error: 'forbidden' });
      expect(await told(await post('{'))).toEqual({ status: 400, error: 'malformed_request' });
      expect(await told(await post([ping, ping]))).toEqual({ status: 400, error: 'malformed_request' });
      expect(await told(await post(ping, { 'content-type': 'text/plain' }))).toEqual({
        status: 415,
        error: 'unsupported_media_type',
      });
      const large = { ...ping, params: { text: 'x'.repeat(300_000) } };
      expect(await told(await post(large))).toEqual({ status: 413, error: 'body_too_large' });
      expect(await told(await post(ping, { accept: 'text/html' }))).toMatchObject({
        status: 406,
        error: { code: expect.any(Number) },
      });
      for (const body of ['', 'null', '7', '[]', '{}', '{"jsonrpc":"2.0","id":1,"method":"no/such"}']) {
        const reply = await post(body);
        expect({ body, server: reply.status >= 500 }).toEqual({ body, server: false });
        expect(await reply.text()).not.toMatch(/\n\s+at /);
      }
      for (const method of ['GET', 'DELETE']) {
        const reply = await fetch(`${api.url}/mcp`, { method, headers: { authorization: `Bearer ${TEST_KEY}` } });
        expect(reply.status).toBe(405);
      }
    });

    test('the answer’s channel may be named by a program in between, and by nobody else', async () => {
      const run = await api.start(script([freeForm()]));
      await api.untilWaiting(run.run_id);
      const resume = (headers: Record<string, string>) =>
        api.resume(run.run_id, { kind: 'free_form', text: 'x' }, {}, headers);
      for (const headers of [
        { 'holdpoint-channel': 'policy' },
        { 'holdpoint-channel': 'signal' },
        { 'holdpoint-given-by': 'human' },
        { 'holdpoint-channel': 'mcp', 'holdpoint-given-by': 'dog' },
      ] as Record<string, string>[]) {
        expect(await resume(headers)).toMatchObject({ status: 400, body: { error: 'malformed_request' } });
      }
      expect((await resume({ 'holdpoint-channel': 'mcp', 'holdpoint-given-by': 'model' })).status).toBe(200);
      expect(await answered(run.run_id)).toEqual([expect.objectContaining({ channel: 'mcp', given_by: 'model' })]);
    });
  });
});
