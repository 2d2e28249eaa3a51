/** MCP with real processes: `holdpoint mcp` on stdio, an API that is killed between calls, and what docs/mcp.md prints. */
import path from 'node:path';
import type { ElicitResult } from '@modelcontextprotocol/client';
import { TEST_KEY, type ApiCaller } from '../support/http';
import { McpCaller, type ShownForm } from '../support/mcp';
import { ProcessStack, Program } from '../support/processes';
import { choice, delegate, freeForm, script, sleep } from '../support/scripts';
import { snippetWith } from '../support/snippets';

interface HostConfig {
  mcpServers: {
    holdpoint: { url: string; headers: Record<string, string>; args: string[]; env: Record<string, string> };
  };
}

describe('MCP between processes', () => {
  const stack = new ProcessStack();
  let program: Program;
  let api: ApiCaller;
  let env: Record<string, string>;
  const callers: McpCaller[] = [];
  const stdio = async (options: Parameters<typeof McpCaller.stdio>[1] = {}) => {
    const caller = await McpCaller.stdio(env, options);
    callers.push(caller);
    return caller;
  };
  const start = (input: unknown) => ({ agent: 'scripted', input });
  beforeAll(async () => {
    await stack.startTemporal();
    await stack.startWorker();
    ({ program, api } = await stack.startApi());
    // No data folder, so no key of a `holdpoint dev`.
    env = { HOLDPOINT_URL: api.url, HOLDPOINT_API_KEY: TEST_KEY, HOLDPOINT_DATA_DIR: stack.dataDir };
  });
  afterAll(async () => {
    for (const caller of callers) await caller.close();
    await stack.stop();
  });
  const answered = async (runId: string) =>
    (await api.events(runId)).filter(({ type }) => type === 'ask.answered').map(({ data }) => data);

  test('on stdio a model has the same tools, and its answers the same provenance', async () => {
    const mcp = await stdio();
    const http = await McpCaller.http(api.url, TEST_KEY);
    callers.push(http);
    expect(await mcp.client.listTools()).toEqual(await http.client.listTools());
    expect((await mcp.call('list_agents')).structured).toEqual((await http.call('list_agents')).structured);

    const { run_id } = await mcp.run(
      'start_run',
      start(script([sleep(500), choice('A', 'B'), delegate(script([freeForm('City?')]))])),
    );
    const waiting = await mcp.run('wait_for_run', { run_id });
    expect(waiting).toMatchObject({ status: 'awaiting_input', waited: 'needs_answer' });
    const input = { kind: 'multiple_choice', option_id: 'q1_o1' };
    expect(await mcp.refused('resume_run', { run_id, input: { ...input, option_id: 'q2_o1' } })).toMatchObject({
      error: 'invalid_input',
      issues: [{ path: 'input.option_id' }],
    });
    expect(await mcp.run('resume_run', { run_id, input, answered_by: 'user' })).toMatchObject({ answer: 'taken' });
    expect(await mcp.refused('resume_run', { run_id, input, ask_id: 'q1' })).toMatchObject({
      error: 'run_not_waiting',
    });
    const below = await mcp.run('wait_for_run', { run_id });
    const [question] = below.pending_questions;
    expect((await mcp.call('list_pending_questions')).structured).toMatchObject({
      count: 1,
      questions: [{ run_id: question?.run_id }],
    });
    expect(
      await mcp.run('resume_run', { run_id: question?.run_id, input: { kind: 'free_form', text: 'Porto' } }),
    ).toMatchObject({
      answer: 'taken',
    });
    expect(await mcp.run('wait_for_run', { run_id })).toMatchObject({ status: 'completed', waited: 'ended' });
    const recorded = { channel: 'mcp', principal: 'tester' };
    expect(await answered(run_id)).toEqual([expect.objectContaining({ ...recorded, given_by: 'human' })]);
    expect(await answered(question?.run_id ?? '')).toEqual([
      expect.objectContaining({ ...recorded, given_by: 'model' }),
    ]);
    expect(await mcp.refused('get_run', { run_id: 'nobody' })).toMatchObject({ error: 'run_not_found' });
    expect(await mcp.refused('get_run', { run_id: '../inbox' })).toMatchObject({ error: 'run_not_found' });
  });

  test.each([
    ['2026-07-28', false],
    ['2025-11-25', true],
  ])('on stdio a client of %s can ask its user', async (revision, old) => {
    const forms: ShownForm[] = [];
    const user = (form: ShownForm): ElicitResult => {
      forms.push(form);
      return { action: 'accept', content: { choice: 'other', other_text: forms.length === 1 ? '' : 'C' } };
    };
    const mcp = await stdio({ user, old });
    expect(mcp.client.getNegotiatedProtocolVersion()).toBe(revision);
    const { run_id } = await mcp.run('start_run', start(script([choice('A', 'B')])));
    expect(await mcp.run('wait_for_run', { run_id })).toMatchObject({ status: 'completed', waited: 'ended' });
    expect(forms).toHaveLength(2);
    expect(forms[1]?.message).toContain('other_text must not be blank');
    expect(await answered(run_id)).toEqual([
      expect.objectContaining({ answer: 'C', channel: 'mcp', given_by: 'human' }),
    ]);
  });

  test('what docs/mcp.md tells hosts to configure connects', async () => {
    const http = JSON.parse(snippetWith('docs/mcp.md', 'json', '"url"')) as HostConfig;
    const { url, headers } = http.mcpServers.holdpoint;
    expect(url).toBe('http://127.0.0.1:8787/mcp');
    expect(headers).toEqual({ Authorization: 'Bearer hp_…' });
    const own = JSON.parse(snippetWith('docs/mcp.md', 'json', '"command"')) as HostConfig;
    const config = own.mcpServers.holdpoint;
    const [main = '', ...args] = config.args;
    const started = Program.start(args, { ...config.env, HOLDPOINT_API_KEY: TEST_KEY });
    expect(path.relative(path.resolve(__dirname, '../..'), started.child.spawnargs[1] ?? '')).toBe(
      main.replace('/path/to/holdpoint/', ''),
    );
    // Its stdin is empty, so it is done at once.
    expect(await started.closed).toBe(0);
    expect(started.output).toBe('');
    expect(Object.keys(env)).toEqual(expect.arrayContaining(Object.keys(config.env)));
  });

  test.each([
    [{ HOLDPOINT_API_KEY: '' }, 'HOLDPOINT_API_KEY'],
    [{ HOLDPOINT_API_KEY: 'with space' }, 'HOLDPOINT_API_KEY'],
    [{ HOLDPOINT_URL: 'localhost' }, 'HOLDPOINT_URL'],
  ])('%p stops `holdpoint mcp` with one line that names it', async (bad, setting) => {
    const stopped = Program.start(['mcp'], { ...env, ...bad });
    expect(await stopped.closed).not.toBe(0);
    expect(stopped.output.trim().split('\n')).toEqual([expect.stringContaining(setting)]);
    expect(stopped.output).not.toContain('with space');
  });

  test('an API that is killed between two calls, or told to stop in one, costs a client nothing but that call', async () => {
    const [http, own] = [await McpCaller.http(api.url, TEST_KEY), await stdio()];
    callers.push(http);
    const { run_id } = await http.run('start_run', start(script([sleep(3_600_000)])));
    let waiting: Promise<object> | undefined;
    await new Promise<void>((resolve) => {
      const args = { run_id, timeout_seconds: 50 };
      waiting = http.client.callTool({ name: 'wait_for_run', arguments: args }, { onprogress: () => resolve() });
    });
    // Told to stop, it answers the wait with where the run stands.
    expect(await program.terminate()).toBe(0);
    expect(await waiting).toMatchObject({ structuredContent: { status: 'running', waited: 'timed_out' } });

    expect(await own.refused('get_run', { run_id })).toMatchObject({ error: 'connection_failed' });
    await expect(http.call('get_run', { run_id })).rejects.toThrow();
    const port = new URL(api.url).port;
    ({ program } = await stack.startApi({ PORT: port }));
    for (const mcp of [http, own])
      expect(await mcp.run('get_run', { run_id })).toMatchObject({ run_id, status: 'running' });
    await program.kill();
    ({ program } = await stack.startApi({ PORT: port }));
    expect(await http.run('cancel_run', { run_id })).toMatchObject({ run_id });
    expect(await own.run('wait_for_run', { run_id })).toMatchObject({ status: 'cancelled', waited: 'ended' });
  });
});
