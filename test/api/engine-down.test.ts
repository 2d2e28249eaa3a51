/** CONTRACT §5, 503 `engine_unavailable`: with Temporal unreachable every call ends in time, with JSON that says when to try again. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import type { FastifyInstance } from 'fastify';
import { scriptedAgent } from '../../activities/agents';
import { buildApp } from '../../api/app';
import { DocumentedCaller } from '../support/documented';
import { ApiCaller, TEST_KEYS } from '../support/http';
import { freeText } from '../support/scripts';

/** What the contract gives a call. */
const BOUND_MS = 10_000;

/** A port that nobody listens on, and one where somebody listens and never says a word. */
async function silentServer(): Promise<{ server: Server; port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port, sockets };
}

describe.each(['refuses connections', 'never answers'])('a Temporal server that %s', (how) => {
  let app: FastifyInstance;
  let api: DocumentedCaller;
  let connection: Connection;
  let silent: Awaited<ReturnType<typeof silentServer>>;
  beforeAll(async () => {
    silent = await silentServer();
    if (how === 'refuses connections') await new Promise((resolve) => silent.server.close(resolve));
    connection = Connection.lazy({ address: `127.0.0.1:${silent.port}` });
    const client = new Client({ connection, namespace: 'default' });
    const agents = new Map([[scriptedAgent.name, scriptedAgent]]);
    app = await buildApp({ client, agents, keys: TEST_KEYS });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    api = await DocumentedCaller.of(new ApiCaller(`http://127.0.0.1:${port}`, undefined, BOUND_MS));
  });
  afterAll(async () => {
    await app.close();
    for (const socket of silent.sockets) socket.destroy();
    silent.server.close();
    await connection.close();
  });

  const start = { agent: 'scripted', input: {} };
  const keyed = { 'idempotency-key': 'k' };
  const calls: [string, string, unknown, Record<string, string>][] = [
    ['POST', '/agents', start, {}],
    ['POST', '/agents', { ...start, run_id: 'chosen' }, keyed],
    ['GET', '/agents', undefined, {}],
    ['GET', '/agents?status=awaiting_input&limit=5', undefined, {}],
    ['GET', '/agents/run_x', undefined, {}],
    ['GET', '/inbox', undefined, {}],
    ['GET', '/inbox', undefined, {}],
    ['GET', '/inbox', undefined, { accept: 'text/event-stream' }],
    ['POST', '/agents/run_x/claim', { ask_id: 'q1' }, {}],
    ['POST', '/agents/run_x/release', { ask_id: 'q1' }, {}],
    ['POST', '/agents/run_x/resume', { input: freeText('x') }, {}],
    ['POST', '/agents/run_x/resume', { input: freeText('x') }, keyed],
    ['POST', '/agents/run_x/cancel', undefined, {}],
    ['GET', '/agents/run_x/events', undefined, {}],
    ['GET', '/agents/run_x/events', undefined, { accept: 'text/event-stream' }],
    ['GET', '/agents/run_x/messages', undefined, {}],
    ['GET', '/agents/run_x/asks', undefined, {}],
    ['GET', '/agents/run_x/asks?state=all', undefined, {}],
  ];
  test('every route ends in time with 503 and when to try again', async () => {
    // Side by side, since each takes its time. The caller gives up after 10 s, so a call that hangs longer fails here.
    const replies = await Promise.all(calls.map((call) => api.call(...call)));
    for (const [index, { status, headers, body, text }] of replies.entries()) {
      const call = calls[index];
      expect({ call, status, error: body.error }).toEqual({ call, status: 503, error: 'engine_unavailable' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(text).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|grpc/i);
    }
  });

  test('bad requests are told so all the same: nobody is asked about them', async () => {
    expect((await api.call('POST', '/agents', '{')).status).toBe(400);
    expect((await api.call('POST', '/agents', { ...start, agent: 'nobody' })).status).toBe(422);
    expect((await api.call('GET', '/agents/a%2Fb')).status).toBe(404);
    expect((await api.as('wrong-key-00000000').call('GET', '/agents')).status).toBe(401);
  });

  test('the process lives, and says that it is not ready', async () => {
    const page = (path: string) => fetch(`${api.url}${path}`, { signal: AbortSignal.timeout(BOUND_MS) });
    expect((await page('/healthz')).status).toBe(200);
    const ready = await page('/readyz');
    expect(ready.status).toBe(503);
    expect(Number(ready.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await ready.json()).toEqual({ error: 'engine_unavailable', message: expect.any(String) });
    for (const path of ['/docs/', '/openapi.json']) expect((await page(path)).status).toBe(200);
  });
});
