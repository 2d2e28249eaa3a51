/** CONTRACT §5 over raw sockets: what no client library would send gets a JSON error all the same, and hurts nobody. */
import { DocumentedCaller, expectErrorBody } from '../support/documented';
import { requestBytes, sendRaw } from '../support/raw-socket';
import { freeForm, script } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('raw HTTP', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  let waiting: string;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
    waiting = (await api.start(script([freeForm()]))).run_id;
    await api.untilWaiting(waiting);
  });
  afterAll(() => stack.stop());
  afterEach(async () => expect((await fetch(`${stack.api.url}/healthz`)).status).toBe(200));

  const send = async (bytes: string | Buffer) => {
    const reply = await sendRaw(api.url, bytes);
    if (reply && reply.status >= 400) expectErrorBody(reply.status, reply.headers.get('content-type'), reply.text);
    return { status: reply?.status, error: (JSON.parse(reply?.text || '{}') as { error?: string }).error };
  };
  const request = (method: string, target: string, ...lines: string[]) =>
    send(requestBytes([`${method} ${target} HTTP/1.1`, 'host: x', `authorization: Bearer ${api.key}`, ...lines]));

  test.each([
    ['%zz', 400, 'malformed_request'],
    ['%', 400, 'malformed_request'],
    ['a%2', 400, 'malformed_request'],
    ['%ff', 400, 'malformed_request'],
    ['%ed%a0%80', 400, 'malformed_request'],
    ['a%2Fb', 404, 'run_not_found'],
    ['..%2F..%2Fetc%2Fpasswd', 404, 'run_not_found'],
    ['%00', 404, 'run_not_found'],
    ['%25', 404, 'run_not_found'],
    ['%252e%252e', 404, 'run_not_found'],
    ['%0d%0aset-cookie:%20a=b', 404, 'run_not_found'],
    ['%F0%9F%98%80', 404, 'run_not_found'],
    ['a'.repeat(64), 404, 'run_not_found'],
    ['a'.repeat(65), 404, 'run_not_found'],
    ['a'.repeat(101), 404, 'run_not_found'],
    ['a'.repeat(5_000), 404, 'run_not_found'],
    ['__proto__', 404, 'run_not_found'],
    ['constructor', 404, 'run_not_found'],
    ['run_id;x=1', 404, 'run_not_found'],
    ['*', 404, 'run_not_found'],
  ])('the id %p is %i on every route of a run', async (id, status, error) => {
    const base = `/api/platform/v1/agents/${id}`;
    const json = ['content-type: application/json', 'content-length: 2'];
    for (const path of ['', '/events', '/messages', '/asks']) {
      expect({ path, ...(await request('GET', `${base}${path}`)) }).toEqual({ path, status, error });
    }
    const body = '{"input":{"kind":"decline"}}';
    const resume = requestBytes(
      [
        `POST ${base}/resume HTTP/1.1`,
        'host: x',
        `authorization: Bearer ${api.key}`,
        json[0] as string,
        `content-length: ${body.length}`,
      ],
      body,
    );
    expect(await send(resume)).toEqual({ status, error });
    expect(await request('POST', `${base}/cancel`)).toEqual({ status, error });
    expect(await request('GET', `${base}/events`, 'accept: text/event-stream')).toEqual({ status, error });
  });

  test('a Latin-1 or UTF-8 byte in the path is no failure', async () => {
    for (const id of ['\u00e9', Buffer.from('😀').toString('latin1')]) {
      const { status } = await request('GET', `/api/platform/v1/agents/${id}`);
      expect([400, 404]).toContain(status);
    }
  });

  test.each([
    '/api/platform/v1/agents/',
    '/api/platform/v1/agents//resume',
    '/api/platform/v1//agents',
    '/api/platform/v1/agents/../agents',
    '/api/platform/v1/agents/WAITING/',
    '/api/platform/v1/agents/WAITING/zzz',
    '/api/platform/v1/agents/WAITING/events/1',
    '/API/platform/v1/agents',
    '/api/platform/v2/agents',
    '/agents',
    '//',
    '/.git/config',
    '/package.json',
    '/api/platform/v1/%61gents%2f',
    'http://elsewhere.example/api/platform/v1/nothing',
  ])('%s is no route: 404 with a key, 401 without', async (path) => {
    const target = path.replace('WAITING', waiting);
    const { status, error } = await request('GET', target);
    expect({ status, error }).toEqual({ status: 404, error: expect.stringMatching(/^(run_)?not_found$/) });
    expect(await send(`GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`)).toEqual({ status: 401, error: 'unauthorized' });
  });

  test.each(['/', '/?a=%zz', 'http://elsewhere.example/'])('%s is the console’s page, with no key', async (target) => {
    const reply = await sendRaw(api.url, `GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect({ status: reply?.status, type: reply?.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
    });
    expect(reply?.text).not.toContain(waiting);
  });

  test.each(['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'POST', 'GET'])(
    '%s where it is not served is 404 with a key, 401 without',
    async (method) => {
      const target = `/api/platform/v1/agents/${waiting}${method === 'GET' ? '/resume' : ''}`;
      expect(await request(method, target, 'content-length: 0')).toEqual({ status: 404, error: 'not_found' });
      expect(await send(`${method} ${target} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`)).toEqual({
        status: 401,
        error: 'unauthorized',
      });
    },
  );

  test('HEAD has no body, and is no way around a key', async () => {
    const reply = await sendRaw(
      api.url,
      `HEAD /api/platform/v1/agents/${waiting} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    expect({ status: reply?.status, text: reply?.text }).toEqual({ status: 401, text: '' });
  });

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', 'FOO / HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\nhost: x\r\n\r\n'],
    ['a space in the path', 'GET /a b HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nhost : x\r\n\r\n'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nhost: x\r\na: b\u0000c\r\n\r\n'],
    ['a bare line feed in a header', 'GET / HTTP/1.1\r\nhost: x\r\na: b\nc: d\r\n\r\n'],
    ['a length that is no number', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ten\r\n\r\n'],
    ['a negative length', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
  ])('is a 400 in JSON when malformed: %s', async (_name, bytes) => {
    expect(await send(bytes)).toEqual({ status: 400, error: 'malformed_request' });
  });

  test('a chunk whose size is no number is an error in JSON', async () => {
    const head = [
      'POST /api/platform/v1/agents HTTP/1.1',
      'host: x',
      `authorization: Bearer ${api.key}`,
      'content-type: application/json',
      'transfer-encoding: chunked',
    ];
    expect(await send(requestBytes(head, 'zz\r\n{}\r\n0\r\n\r\n'))).toEqual({
      status: 400,
      error: 'malformed_request',
    });
  });

  test('an expectation that nobody knows is ignored, and is no way around a key', async () => {
    const head = ['host: x', 'expect: miracles'].join('\r\n');
    expect((await send(`GET /healthz HTTP/1.1\r\n${head}\r\n\r\n`)).status).toBe(200);
    expect((await send(`GET /api/platform/v1/agents HTTP/1.1\r\n${head}\r\n\r\n`)).status).toBe(401);
  });

  test('headers larger than the server reads are 431 in JSON, and its neighbours are served', async () => {
    const neighbour = api.read(waiting);
    for (const line of [`x-large: ${'a'.repeat(100_000)}`, `authorization: Bearer ${'a'.repeat(100_000)}`]) {
      const reply = await sendRaw(api.url, `GET /healthz HTTP/1.1\r\nhost: x\r\n${line}\r\n\r\n`);
      expect(reply?.status).toBe(431);
      expect(reply?.headers.get('content-type')).toMatch(/^application\/json/);
      expect(JSON.parse(reply?.text ?? '')).toEqual({ error: 'malformed_request', message: expect.any(String) });
    }
    expect((await neighbour).status).toBe('awaiting_input');
  });

  test('a request that ends half way leaves the API as it was', async () => {
    const head = requestBytes(
      [
        'POST /api/platform/v1/agents HTTP/1.1',
        'host: x',
        `authorization: Bearer ${api.key}`,
        'content-type: application/json',
        'content-length: 100',
      ],
      '{"agent":',
    );
    const net = await import('node:net');
    await new Promise<void>((resolve) => {
      const socket = net.connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.end(head));
      socket.on('error', () => undefined).on('close', () => resolve());
      // Reads on, or it would never see the end.
      socket.resume();
    });
    expect((await api.read(waiting)).status).toBe('awaiting_input');
  });
});
