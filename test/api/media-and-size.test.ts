/** CONTRACT §5, 413 `body_too_large` and 415 `unsupported_media_type`, and what `cancel` takes. */
import http from 'node:http';
import { LIMITS } from '../../workflows/contract';
import { DocumentedCaller, expectErrorBody } from '../support/documented';
import { faultIn, refusal, refusedAs } from '../support/refusals';
import { requestBytes, sendRaw } from '../support/raw-socket';
import { freeForm, freeText, script } from '../support/scripts';
import { TestStack } from '../support/stack';

const GOOD = JSON.stringify({ agent: 'scripted', input: {} });

describe('media types and sizes', () => {
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

  const routes = () => ['/agents', `/agents/${waiting}/resume`, `/agents/${waiting}/cancel`];
  const head = (route: string, ...lines: string[]) => [
    `POST /api/platform/v1${route} HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${api.key}`,
    ...lines,
  ];

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'application/json-patch+json',
    'application/octet-stream',
    'json',
    '*/*',
    'application',
    'application/json, text/plain',
  ])('a body called %s is 415 on every route, even when it is JSON', async (type) => {
    for (const route of routes()) {
      const reply = await api.call('POST', route, GOOD, { 'content-type': type });
      expect(refusal([type, route], reply)).toEqual(refusedAs([type, route], 415, 'unsupported_media_type'));
    }
  });

  test('a body without a type is 415', async () => {
    for (const route of routes()) {
      const reply = await sendRaw(api.url, requestBytes(head(route, `content-length: ${GOOD.length}`), GOOD));
      expect(reply?.status).toBe(415);
      expectErrorBody(415, reply?.headers.get('content-type') ?? null, reply?.text ?? '');
    }
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset=UTF-8',
  ])('a JSON body may be called %s', async (type) => {
    const reply = await api.call('POST', '/agents', GOOD, { 'content-type': type });
    expect(reply.status).toBe(201);
  });

  /** JSON of exactly this many bytes. */
  const bodyOf = (bytes: number) => {
    const shell = JSON.stringify({ agent: 'scripted', input: { text: '' } });
    return shell.replace('""', `"${'a'.repeat(bytes - shell.length)}"`);
  };

  test('256 KiB are taken, one byte more is 413', async () => {
    expect((await api.call('POST', '/agents', bodyOf(LIMITS.bodyBytes))).status).toBe(201);
    for (const route of routes()) {
      const reply = await api.call('POST', route, bodyOf(LIMITS.bodyBytes + 1));
      expect(refusal(route, reply)).toEqual(refusedAs(route, 413, 'body_too_large'));
    }
  });

  test('a body that only says it is too large is 413 before it is sent', async () => {
    for (const length of ['300000', '99999999999']) {
      const lines = head('/agents', 'content-type: application/json', `content-length: ${length}`);
      const reply = await sendRaw(api.url, requestBytes(lines, '{'));
      expect(reply?.status).toBe(413);
      expectErrorBody(413, reply?.headers.get('content-type') ?? null, reply?.text ?? '');
    }
  });

  test('a body in chunks is 413 as soon as it is too large', async () => {
    for (const route of routes()) {
      const reply = await new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
        const request = http.request(`${api.base}${route}`, {
          method: 'POST',
          agent: false,
          headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
        });
        request.on('response', (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          const type = response.headers['content-type'] ?? '';
          response.on('end', () => resolve({ status: response.statusCode ?? 0, type, text }));
        });
        request.on('error', reject);
        // Never ended: the refusal must not wait for an end that may never come.
        for (let chunk = 0; chunk < 5; chunk += 1) request.write('[' + ' '.repeat(64 * 1024));
      });
      expect(reply.status).toBe(413);
      expectErrorBody(413, reply.type, reply.text);
    }
  });

  test('an encoded body is not taken for JSON', async () => {
    const reply = await api.call('POST', '/agents', GOOD, { 'content-encoding': 'br' });
    // The bytes are plain JSON all the same: what counts is that nothing but JSON gets through.
    expect([201, 415]).toContain(reply.status);
  });

  test('a body where none belongs is not read', async () => {
    const lines = [
      `GET /api/platform/v1/agents/${waiting} HTTP/1.1`,
      'host: x',
      `authorization: Bearer ${api.key}`,
      'content-type: text/plain',
      'content-length: 5',
    ];
    expect((await sendRaw(api.url, requestBytes(lines, 'hello')))?.status).toBe(200);
  });

  test.each([
    ['no settings', '{"force":true}'],
    ['a list', '[]'],
    ['a number', '1'],
    ['a string', '"now"'],
  ])('cancel with junk is refused and cancels nothing: %s', async (_name, body) => {
    const reply = await api.call('POST', `/agents/${waiting}/cancel`, body);
    expect(refusal(body, reply)).toEqual(faultIn(body, ''));
    expect((await api.read(waiting)).status).toBe('awaiting_input');
  });

  test.each<[string, string | undefined, Record<string, string>]>([
    ['no body', undefined, {}],
    ['no body, but its type', '', { 'content-type': 'application/json' }],
    ['null', 'null', {}],
    ['an empty object', '{}', {}],
    ['an empty object in white space', ' { } ', {}],
  ])('cancel takes %s', async (_name, body, headers) => {
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    const reply = await api.call('POST', `/agents/${run_id}/cancel`, body, headers);
    expect({ status: reply.status, run: reply.body.status }).toEqual({ status: 202, run: expect.any(String) });
    expect((await api.untilEnded(run_id)).status).toBe('cancelled');
  });

  test('start and resume with an empty body are told what is missing', async () => {
    for (const route of routes().slice(0, 2)) {
      for (const headers of [{}, { 'content-type': 'application/json' }] as Record<string, string>[]) {
        const reply = await api.call('POST', route, undefined, headers);
        expect(refusal(route, reply)).toMatchObject({ status: 422, error: 'invalid_input' });
      }
    }
    expect((await api.resume(waiting, freeText('x'))).status).toBe(200);
  });
});
