/** C21 of CASES.md: bearer check accepts the wrong things or crashes. */
import http from 'node:http';
import { failedTasks } from '../support/histories';
import { OTHER_KEY } from '../support/http';
import { choice, pick, script } from '../support/scripts';
import { TestStack } from '../support/stack';

/** What the calls of a run take for a body, by the end of their paths. */
const BODIES: Record<string, object> = {
  resume: { input: pick('q1_o1') },
  claim: { ask_id: 'q1' },
  release: { ask_id: 'q1' },
};

interface Route {
  method: string;
  path: string;
  accept?: string;
}

interface Sent {
  authorization?: string;
  body?: string;
  contentType?: string;
}

describe('C21 the bearer check', () => {
  let stack: TestStack;
  let runId: string;
  let routes: Route[];
  beforeAll(async () => {
    stack = await TestStack.start();
    ({ run_id: runId } = await stack.api.start(script([choice('A', 'B')])));
    await stack.api.untilWaiting(runId);
    routes = [...(await documentedRoutes()), ...UNKNOWN_ROUTES];
  });
  afterAll(() => stack.stop());

  /** Every route that the API says it has, those to come included, each on the paused run. */
  async function documentedRoutes(): Promise<Route[]> {
    const reply = await fetch(`${stack.api.url}/openapi.json`);
    const { paths } = (await reply.json()) as { paths: Record<string, Record<string, unknown>> };
    const found = Object.entries(paths)
      // The two that CONTRACT §5 has without a key; no other may say so.
      .filter(([path]) => path !== '/healthz' && path !== '/readyz')
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace('{run_id}', runId) })),
      );
    expect(found.length).toBeGreaterThanOrEqual(8);
    const events = `/api/platform/v1/agents/${runId}/events`;
    return [...found, { method: 'GET', path: events, accept: 'text/event-stream' }];
  }

  const UNKNOWN_ROUTES: Route[] = [
    { method: 'POST', path: '/' },
    { method: 'GET', path: '/index.html' },
    { method: 'GET', path: '/nowhere' },
    { method: 'GET', path: '/api/platform/v1' },
    { method: 'GET', path: '/api/platform/v1/agents/' },
    { method: 'GET', path: '/api/platform/v1/nowhere' },
    { method: 'GET', path: '/api/platform/v2/agents' },
    { method: 'DELETE', path: '/api/platform/v1/agents' },
    { method: 'GET', path: '/api/platform/v1/agents/run_00000000000000000000' },
    { method: 'POST', path: '/api/platform/v1/agents/run_00000000000000000000/resume' },
    { method: 'GET', path: '/api/platform/v1/agents/run_00000000000000000000/events', accept: 'text/event-stream' },
    { method: 'GET', path: '/api/platform/v1/agents/%zz' },
    { method: 'GET', path: '/api/platform/v1/agents?status=nonsense' },
    { method: 'GET', path: '/runs/run_00000000000000000000/status' },
    { method: 'POST', path: '/runs/run_00000000000000000000/messages' },
    { method: 'GET', path: '/runs/run_00000000000000000000/events', accept: 'text/event-stream' },
    { method: 'GET', path: '/docs/../api/platform/v1/agents' },
    { method: 'GET', path: '/healthz/../api/platform/v1/agents' },
    { method: 'GET', path: '//api/platform/v1/agents' },
  ];

  /** A request by hand, so that the header goes out as it is. */
  function send({ method, path, accept }: Route, { authorization, body, contentType }: Sent) {
    const { hostname, port } = new URL(stack.api.url);
    return new Promise<{ status: number; text: string; headers: http.IncomingHttpHeaders }>((resolve, reject) => {
      const headers: Record<string, string> = {};
      if (accept !== undefined) headers.accept = accept;
      if (authorization !== undefined) headers.authorization = authorization;
      if (body !== undefined) headers['content-type'] = contentType ?? 'application/json';
      const request = http.request({ hostname, port, path, method, headers, agent: false });
      request.setTimeout(15_000, () => request.destroy(new Error(`no reply: ${method} ${path}`)));
      request.once('error', reject);
      request.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
      });
      request.end(body);
    });
  }

  async function expectUnauthorized(route: Route, sent: Sent): Promise<void> {
    const { status, text, headers } = await send(route, sent);
    expect({ ...route, ...sent, status }).toEqual({ ...route, ...sent, status: 401 });
    expect(JSON.parse(text)).toEqual({ error: 'unauthorized', message: expect.any(String) });
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['www-authenticate']).toMatch(/^Bearer/);
  }

  const badHeaders = (key: string): (string | undefined)[] => [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    key,
    `AAAAAA ${key}`,
    `Basic ${key}`,
    `Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
    `Bearer${key}`,
    `Bearer ${key}x`,
    `Bearer ${key.slice(0, -1)}`,
    `Bearer x${key}`,
    `Bearer ${key.toUpperCase()}`,
    `Bearer ${'k'.repeat(10_000)}`,
    `Bearer ${key}${'k'.repeat(10_000)}`,
    `Bearer ${key} extra`,
    `Bearer ${key},${key}`,
    `Bearer "${key}"`,
    `Bearer Bearer ${key}`,
    `Bearer\u00a0${key}`,
    `Bearer ${key}\u00e9`,
    'Bearer null',
    'Bearer undefined',
    'Bearer __proto__',
  ];

  test('every route, known or not, streams too, is a JSON 401 for each bad header, and the paused run is untouched', async () => {
    const record = await stack.api.read(runId);
    const history = await stack.historyTypes(runId);
    for (const route of routes) {
      for (const authorization of badHeaders(stack.api.key)) await expectUnauthorized(route, { authorization });
    }
    const { waiting_ms: _then, ...before } = record;
    const { waiting_ms: _now, ...after } = await stack.api.read(runId);
    expect(after).toEqual(before);
    expect(await stack.historyTypes(runId)).toEqual(history);
  });

  test('401 comes before anything else that is wrong: body, size, type, query, path, id, state', async () => {
    const wrong = `Bearer ${'w'.repeat(stack.api.key.length)}`;
    const bodies = ['{', 'null', '{"input":{"kind":"nonsense"}}', `{"input":"${'x'.repeat(300_000)}"}`, '\u0000'];
    for (const route of routes.filter(({ method }) => method === 'POST')) {
      for (const body of bodies) await expectUnauthorized(route, { authorization: wrong, body });
      await expectUnauthorized(route, { authorization: wrong, body: '<x/>', contentType: 'text/xml' });
    }
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const path = `${route.path}${route.path.includes('?') ? '&' : '?'}limit=-1&access_token=${stack.api.key}`;
      await expectUnauthorized({ ...route, path }, { authorization: wrong });
    }
    expect((await stack.api.read(runId)).status).toBe('awaiting_input');
  });

  test('the lower-case scheme word never crashes it, and another workspace’s key is a 404 like an unknown run', async () => {
    for (const authorization of [`bearer ${stack.api.key}`, `BEARER ${stack.api.key}`]) {
      const { status, text } = await send(
        { method: 'GET', path: `/api/platform/v1/agents/${runId}` },
        { authorization },
      );
      expect([200, 401]).toContain(status);
      expect(() => JSON.parse(text) as unknown).not.toThrow();
    }
    for (const route of routes.filter(({ path }) => path.includes(`/agents/${runId}`))) {
      const body = JSON.stringify(BODIES[route.path.split('/').at(-1) ?? '']);
      const { status, text } = await send(route, { authorization: `Bearer ${OTHER_KEY}`, body });
      expect({ ...route, status, error: JSON.parse(text).error }).toEqual({
        ...route,
        status: 404,
        error: 'run_not_found',
      });
    }
    // And the right key still works, so that all of the above was the key's doing.
    expect((await stack.api.resume(runId, pick('q1_o1'))).status).toBe(200);
    await stack.api.untilEnded(runId);
    expect(await failedTasks(stack.client, runId)).toEqual([]);
  });

  test('what needs no key shows no run', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs']) {
      const { status, text } = await send({ method: 'GET', path }, {});
      expect([200, 302]).toContain(status);
      expect(text).not.toContain(runId);
    }
  });
});
