/** `/mcp` as HTTP: keys, media types, sizes, origins, and the headers that tell who answered. */
import type { ApiCaller } from '../support/http';
import { TEST_KEY } from '../support/http';
import { McpStack } from '../support/mcp-stack';
import { freeForm, script } from '../support/scripts';

describe('MCP as HTTP', () => {
  let on: McpStack;
  let api: ApiCaller;

  beforeAll(async () => {
    on = await McpStack.start();
    ({ api } = on);
  });
  afterAll(() => on.stop());

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
    const bare = await fetch(`${api.url}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${TEST_KEY}` } });
    expect(await told(bare)).toEqual({ status: 415, error: 'unsupported_media_type' });
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
    expect(await on.answered(run.run_id)).toEqual([expect.objectContaining({ channel: 'mcp', given_by: 'model' })]);
  });
});
