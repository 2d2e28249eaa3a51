/** Tools of MCP servers, on stdio and over streamable HTTP: offered, judged, approved, called, and told when they fail. */
import path from 'node:path';
import { closeMcpClients } from '../../activities/mcp/clients';
import { MODEL_KEY, ModelStack, wireAgent } from '../support/model-agents';
import { toolMessages, type WireRequest } from '../support/openai-server';
import { pick, writeIn } from '../support/scripts';

const SERVER = path.resolve(__dirname, '../support/mcp-server.js');
const SECRET = 'mcp-secret-4711';
interface HttpServer {
  url: string;
  seen: string[];
  stop: () => Promise<void>;
}
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { startHttp } = require(SERVER) as { startHttp: (authorization: string) => Promise<HttpServer> };

describe('tools of MCP servers', () => {
  let on: ModelStack;
  let http: HttpServer;
  beforeAll(async () => {
    http = await startHttp(`Bearer ${SECRET}`);
    const local = {
      name: 'local',
      command: process.execPath,
      args: [SERVER],
      env: { MCP_TEST_SECRET: SECRET },
      tools: ['add', 'wipe.all', 'refuse', 'structured'],
      needsApproval: ['wipe.all'],
    };
    const remote = { name: 'remote', url: http.url, headers: { authorization: `Bearer ${SECRET}` } };
    const missing = { name: 'missing', command: process.execPath, args: [SERVER], tools: ['nothing'] };
    on = await ModelStack.start([
      wireAgent('handy', { mcpServers: [local, remote] }),
      wireAgent('picky', { mcpServers: [missing] }),
    ]);
  });
  afterAll(async () => {
    closeMcpClients();
    await on.stop();
    await http.stop();
  });
  const last = (): WireRequest => on.models.requestsOf('handy').at(-1) as WireRequest;

  test('are offered under the name of their server, and called where they are', async () => {
    on.models.plays(
      'handy',
      {
        calls: [
          { name: 'local_add', args: { a: 1, b: 2 } },
          { name: 'local_add', args: { a: 'one', b: 2 } },
          { name: 'local_refuse', args: {} },
          { name: 'local_structured', args: {} },
          { name: 'remote_add', args: { a: 3, b: 4 } },
          { name: 'local_hidden', args: {} },
        ],
      },
      { text: 'done' },
    );
    const run = await on.ended('handy');
    expect(run.result).toEqual({ text: 'done' });
    expect(last().body.tools?.map((tool) => tool.function.name)).toEqual([
      'ask_a_human',
      'local_add',
      'local_wipe_all',
      'local_refuse',
      'local_structured',
      'remote_add',
      'remote_wipe_all',
      'remote_refuse',
      'remote_structured',
      'remote_hidden',
    ]);
    expect(toolMessages(last())).toEqual([
      '3',
      { error: 'invalid_arguments', message: expect.stringMatching(/^a must be number/) },
      { error: 'tool_failed', message: 'no way' },
      { ok: true },
      '7',
      { error: 'unknown_tool', message: expect.any(String) },
    ]);
    expect(http.seen).toContain('tools/call');
    const history = await on.historyText(run.run_id);
    expect(history).not.toContain(SECRET);
    expect(history).not.toContain(MODEL_KEY);
  });

  test('wait for a person where they are guarded', async () => {
    for (const [input, result] of [
      [pick('q1_o1'), `wipe.all was called by ${SECRET}`],
      [writeIn('never'), { error: 'approval_rejected', message: 'never' }],
    ]) {
      on.models.plays('handy', { calls: [{ name: 'local_wipe_all', args: {} }] }, { text: 'done' });
      const runId = await on.start('handy');
      await on.stack.api.untilWaiting(runId, 'q1');
      expect((await on.stack.api.resume(runId, input)).status).toBe(200);
      await on.stack.api.untilEnded(runId);
      expect(toolMessages(last())).toEqual([result]);
    }
  });

  test('that an agent counts on and the server does not have end the run with a named error', async () => {
    on.models.plays('picky', { text: 'never' });
    expect(await on.ended('picky')).toMatchObject({
      status: 'failed',
      error: { code: 'mcp_tool_missing', message: expect.stringContaining('nothing') },
    });
    expect(on.models.requestsOf('picky')).toHaveLength(0);
  });

  test('of a server that has gone are a tool error', async () => {
    on.models.plays(
      'handy',
      { calls: [{ name: 'ask_a_human', args: { kind: 'free_form', question: 'Now?' } }] },
      { calls: [{ name: 'remote_add', args: { a: 1, b: 1 } }] },
      { text: 'done' },
    );
    const runId = await on.start('handy');
    await on.stack.api.untilWaiting(runId, 'q1');
    await http.stop();
    closeMcpClients();
    await on.stack.api.resume(runId, { kind: 'free_form', text: 'now' });
    expect((await on.stack.api.untilEnded(runId)).result).toEqual({ text: 'done' });
    expect(toolMessages(last())[1]).toMatchObject({ error: 'mcp_unavailable' });
  });
});
