/** MCP over HTTP: the tools as a host’s official client calls them, whole flows on the real stack. */
import type { ApiCaller } from '../support/http';
import type { McpCaller } from '../support/mcp';
import { McpStack, READER_KEY, startOf } from '../support/mcp-stack';
import { choice, delegate, freeForm, script, sleep } from '../support/scripts';

describe('MCP over HTTP', () => {
  let on: McpStack;
  let api: ApiCaller;
  let mcp: McpCaller;
  beforeAll(async () => {
    on = await McpStack.start();
    ({ api, mcp } = on);
  });
  afterAll(() => on.stop());

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

    const started = await mcp.run('start_run', startOf(script([sleep(300), choice('SMB', 'Enterprise')])));
    const { run_id } = started;
    const waiting = await mcp.run('wait_for_run', { run_id });
    expect(waiting).toMatchObject({ status: 'awaiting_input', waited: 'needs_answer' });
    expect(waiting.pending_questions).toEqual([{ run_id, ...waiting.pending_input_context, claim: null }]);
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
    expect(await on.answered(run_id)).toEqual([
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
    const { run_id } = await mcp.run('start_run', startOf(script([freeForm()]), { idempotency_key: 'mcp-start-1' }));
    const again = await mcp.run('start_run', startOf(script([freeForm()]), { idempotency_key: 'mcp-start-1' }));
    expect(again.run_id).toBe(run_id);
    await mcp.run('wait_for_run', { run_id });
    const input = { kind: 'free_form', text: 'so the user says' };
    const answer = { run_id, input, answered_by: 'user', idempotency_key: 'mcp-answer-1' };
    for (let k = 0; k < 2; k += 1) expect(await mcp.run('resume_run', answer)).toMatchObject({ answer: 'taken' });
    expect(await on.answered(run_id)).toEqual([expect.objectContaining({ channel: 'mcp', given_by: 'human' })]);
  });

  test('a sub-agent’s question shows on its caller and is answered on its own run id; cancelling withdraws it', async () => {
    // One asks later: asks of one millisecond are ordered by other means in a conversation than in the inbox.
    const children = [delegate(script([freeForm('Which city?')])), delegate(script([sleep(100), freeForm()]))];
    const { run_id } = await mcp.run('start_run', startOf(script([children]), { assignee: 'mcp@contoso.com' }));
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
    const { run_id } = await mcp.run('start_run', startOf(script([choice('A', 'B')])));
    await mcp.run('wait_for_run', { run_id });
    const stranger = await on.stranger();
    const reader = await on.connect({}, READER_KEY);
    const input = { kind: 'multiple_choice', option_id: 'q1_o1' };
    const refusals: [McpCaller, string, Record<string, unknown>, string][] = [
      [stranger, 'get_run', { run_id }, 'run_not_found'],
      [stranger, 'wait_for_run', { run_id }, 'run_not_found'],
      [stranger, 'resume_run', { run_id, input }, 'run_not_found'],
      [stranger, 'cancel_run', { run_id }, 'run_not_found'],
      [stranger, 'list_pending_questions', { run_id }, 'run_not_found'],
      [mcp, 'get_run', { run_id: 'no such run' }, 'run_not_found'],
      [reader, 'start_run', startOf(script([])), 'forbidden'],
      [reader, 'resume_run', { run_id, input }, 'forbidden'],
      [reader, 'cancel_run', { run_id }, 'forbidden'],
      [mcp, 'start_run', { agent: 'nobody', input: {} }, 'invalid_input'],
      [mcp, 'start_run', { agent: 'scripted' }, 'invalid_input'],
      [mcp, 'start_run', startOf({ turns: 'none' }), 'invalid_input'],
      [mcp, 'start_run', startOf(script([]), { run_id }), 'run_exists'],
      [mcp, 'start_run', startOf(script([]), { on_question: 'never' }), 'invalid_input'],
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
    const { run_id } = await mcp.run('start_run', startOf(script([sleep(60_000)])));
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

  test('a client of an older protocol has the plain tools', async () => {
    const old = await on.connect({ old: true, user: () => ({ action: 'accept', content: { text: 'x' } }) });
    expect(old.client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    const { run_id } = await old.run('start_run', startOf(script([sleep(300), freeForm()])));
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
});
