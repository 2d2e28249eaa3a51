/** The API mounted in a team's own Fastify server: all of it works there, and nothing of theirs is changed. */
import fastifyHelmet from '@fastify/helmet';
import fastifyRateLimit from '@fastify/rate-limit';
import fastifySwagger from '@fastify/swagger';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { agentRegistry, scriptedAgent } from '../../activities/agents';
import { holdpointApi, type HostPrincipal } from '../../api';
import { ApiCaller } from '../support/http';
import { choice, freeForm, freeText, pick, script } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

const USERS: Record<string, HostPrincipal> = {
  'Bearer session-kim': { name: 'kim', workspace: 'acme' },
  'Bearer session-lee': { name: 'lee', workspace: 'acme', scopes: ['read'] },
  'Bearer session-rival': { name: 'max', workspace: 'rival' },
};

describe('holdpointApi in a host', () => {
  let stack: TestStack;
  let host: FastifyInstance;
  let url: string;
  const caller = (user: string) => new ApiCaller(`${url}/pause`, user);
  beforeAll(async () => {
    stack = await TestStack.start();
    // What many servers have of their own, each of which another plugin could get in the way of.
    host = fastify({ ajv: { customOptions: { coerceTypes: true } } });
    host.decorateRequest('principal', 'the host’s own');
    host.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
      reply.code(error.statusCode ?? 500).send({ theirs: error.message }),
    );
    host.setNotFoundHandler((_request, reply) => reply.code(404).send({ theirs: 'nothing here' }));
    host.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    await host.register(fastifySwagger, { openapi: { info: { title: 'Theirs', version: '1' } } });
    await host.register(fastifyHelmet);
    await host.register(fastifyRateLimit, { max: 10_000 });
    await host.register(holdpointApi, {
      prefix: '/pause',
      client: stack.client,
      taskQueue: stack.taskQueue,
      agents: agentRegistry([scriptedAgent]).values(),
      authenticate: async (request) => {
        if (request.headers.authorization === 'Bearer broken') throw new Error('the session store is down');
        if (request.headers.authorization === 'Bearer banned')
          throw Object.assign(new Error('banned'), { statusCode: 403 });
        return USERS[request.headers.authorization ?? ''];
      },
    });
    const body = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    host.post('/theirs', { schema: { body } }, (request) => ({ got: request.body }));
    host.post('/csv', (request) => ({ got: request.body, principal: (request as { principal?: unknown }).principal }));
    host.get('/fails', () => {
      throw new Error('theirs alone');
    });
    host.get('/principal', (request) => ({ principal: (request as { principal?: unknown }).principal }));
    await host.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(host.server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await host.close();
    await stack.stop();
  });

  test('a run is started, read, streamed, answered and cancelled below the prefix, as whom the host says', async () => {
    const kim = caller('session-kim');
    const reply = await kim.call('POST', '/agents', {
      agent: 'scripted',
      input: script([choice('A', 'B'), freeForm()]),
    });
    expect(reply.status).toBe(201);
    const runId = String(reply.body.run_id);
    expect(reply.headers.get('location')).toBe(`/pause/api/platform/v1/agents/${runId}`);
    await kim.untilWaiting(runId);
    const stream = await StreamReader.open(kim, runId);
    expect((await kim.resume(runId, pick('q9_o9'))).status).toBe(422);
    expect((await kim.resume(runId, pick('q1_o2'))).status).toBe(200);
    await stream.until((reader) => reader.types.includes('ask.answered'));
    const answered = (await kim.events(runId)).find(({ type }) => type === 'ask.answered');
    expect(answered?.data).toMatchObject({ answer: 'B', principal: 'kim', channel: 'http' });
    await kim.untilWaiting(runId, 'q2');
    expect((await kim.call('POST', `/agents/${runId}/cancel`)).status).toBe(202);
    expect((await kim.untilEnded(runId)).status).toBe('cancelled');
    await stream.until((reader) => reader.ended);
  });

  test('their check decides: nobody is 401, a scope too few 403, another workspace 404, a check that fails 500', async () => {
    const { run_id } = await stack.api.start(script([freeForm()]));
    const read = async (user: string) => {
      const { status, body } = await caller(user).call('GET', `/agents/${run_id}`);
      return [status, body.error];
    };
    expect(await read('nobody')).toEqual([401, 'unauthorized']);
    expect(await read('session-rival')).toEqual([404, 'run_not_found']);
    expect(await read('broken')).toEqual([500, 'internal_error']);
    expect(await read('banned')).toEqual([403, 'forbidden']);
    expect((await read('session-lee'))[0]).toBe(200);
    await stack.api.untilWaiting(run_id);
    const refused = await caller('session-lee').resume(run_id, freeText('no'));
    expect([refused.status, refused.body.error]).toEqual([403, 'forbidden']);
    expect((await caller('session-kim').resume(run_id, freeText('yes'))).status).toBe(200);
  });

  test('our errors are ours below the prefix: JSON with a code, a body limit, no coercion, what is not found', async () => {
    const kim = caller('session-kim');
    const of = async (reply: Promise<{ status: number; body: Record<string, unknown> }>) => {
      const { status, body } = await reply;
      return [status, body.error];
    };
    expect(await of(kim.call('POST', '/agents', '{', {}))).toEqual([400, 'malformed_request']);
    expect(await of(kim.call('POST', '/agents', { agent: 1, input: null }))).toEqual([422, 'invalid_input']);
    expect(await of(kim.call('POST', '/agents', JSON.stringify({ x: 'y'.repeat(300_000) })))).toEqual([
      413,
      'body_too_large',
    ]);
    expect(await of(kim.call('POST', '/agents', 'a,b', { 'content-type': 'text/csv' }))).toEqual([
      415,
      'unsupported_media_type',
    ]);
    expect(await of(kim.call('GET', '/no-such'))).toEqual([404, 'not_found']);
    expect(await of(caller('nobody').call('GET', '/no-such'))).toEqual([401, 'unauthorized']);
    expect((await fetch(`${url}/pause/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/pause/readyz`)).status).toBe(200);
  });

  test('the host is as it was: error handler, not found, coercion, parsers, decorators', async () => {
    const json = async (path: string, init?: RequestInit) => {
      const reply = await fetch(`${url}${path}`, init);
      return [reply.status, await reply.json()];
    };
    const post = (body: string, type = 'application/json') => ({
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    expect(await json('/fails')).toEqual([500, { theirs: 'theirs alone' }]);
    expect(await json('/nowhere')).toEqual([404, { theirs: 'nothing here' }]);
    expect(await json('/theirs', post('{"n":"7"}'))).toEqual([200, { got: { n: 7 } }]);
    expect((await json('/theirs', post('{}')))[0]).toBe(400);
    expect(await json('/csv', post('a,b', 'text/csv'))).toEqual([200, { got: 'a,b', principal: 'the host’s own' }]);
    expect((await json('/csv', post(JSON.stringify('x'.repeat(500_000)))))[0]).toBe(200);
    expect(await json('/principal')).toEqual([200, { principal: 'the host’s own' }]);
  });

  test('its OpenAPI document knows nothing of ours, and ours says where it is mounted', async () => {
    const theirs = host.swagger() as { paths: object };
    expect(Object.keys(theirs.paths).filter((path) => path.startsWith('/pause'))).toEqual([]);
    expect(Object.keys(theirs.paths)).toContain('/theirs');
    const ours = (await (await fetch(`${url}/pause/openapi.json`)).json()) as { paths: object; servers: unknown };
    expect(ours.servers).toEqual([{ url: '/pause' }]);
    expect(Object.keys(ours.paths)).toContain('/api/platform/v1/agents/{run_id}/resume');
  });

  test('with nobody to ask who calls it does not mount', async () => {
    const other = fastify();
    await expect(other.register(holdpointApi, { client: stack.client })).rejects.toThrow(/authenticate/);
  });

  test('mounted at the root, with keys and without a word about what is not found', async () => {
    const other = fastify();
    await other.register(holdpointApi, {
      client: stack.client,
      keys: [{ name: 'ops', key: 'ops-key-0000000', workspace: 'acme' }],
      rateLimit: 2,
    });
    other.setNotFoundHandler((_request, reply) => reply.code(404).send({ theirs: 'nothing here' }));
    const at = await other.listen({ host: '127.0.0.1', port: 0 });
    const get = (path: string) => fetch(`${at}${path}`, { headers: { authorization: 'Bearer ops-key-0000000' } });
    expect((await get('/api/platform/v1/definitions')).status).toBe(200);
    expect(await (await get('/nowhere')).json()).toEqual({ theirs: 'nothing here' });
    const many = await Promise.all(Array.from({ length: 8 }, () => get('/api/platform/v1/definitions')));
    expect(many.map(({ status }) => status)).toContain(429);
    await other.close();
  });

  test('closing the host ends its open streams', async () => {
    const kim = caller('session-kim');
    const { run_id } = await stack.api.start(script([freeForm()]));
    await kim.untilWaiting(run_id);
    const stream = await StreamReader.open(kim, run_id);
    await stream.until((reader) => reader.types.includes('step.paused'));
    await host.close();
    await stream.until((reader) => reader.ended);
    await stack.client.workflow.getHandle(run_id).cancel();
  });
});
