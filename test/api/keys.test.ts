/** CONTRACT §5 and §11: 401 before anything else is looked at, 403 for a key without the scope. C21 of CASES.md goes through headers. */
import { createHash } from 'node:crypto';
import { DocumentedCaller, expectErrorBody } from '../support/documented';
import { TEST_KEY } from '../support/http';
import { requestBytes, sendRaw } from '../support/raw-socket';
import { refusal, refusedAs } from '../support/refusals';
import { freeForm, freeText, script } from '../support/scripts';
import { TestStack } from '../support/stack';

const scoped = (scope: 'read' | 'start' | 'answer' | 'cancel') => `only-${scope}-0000000000`;
const KEYS = [
  { name: 'tester', key: TEST_KEY, workspace: 'acme' },
  { name: 'reader', key: scoped('read'), workspace: 'acme', scopes: ['read' as const] },
  { name: 'starter', key: scoped('start'), workspace: 'acme', scopes: ['start' as const] },
  { name: 'answerer', key: scoped('answer'), workspace: 'acme', scopes: ['answer' as const] },
  { name: 'canceller', key: scoped('cancel'), workspace: 'acme', scopes: ['cancel' as const] },
  { name: 'powerless', key: 'no-scope-000000000', workspace: 'acme', scopes: [] },
  {
    name: 'hashed',
    key_sha256: createHash('sha256').update('hashed-key-0000').digest('hex').toUpperCase(),
    workspace: 'acme',
  },
];

describe('keys', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  let waiting: string;
  beforeAll(async () => {
    stack = await TestStack.start({ app: { keys: KEYS } });
    api = await DocumentedCaller.of(stack.api);
    waiting = (await api.start(script([freeForm()]))).run_id;
    await api.untilWaiting(waiting);
  });
  afterAll(() => stack.stop());

  const GOOD_START = { agent: 'scripted', input: {} };
  /** Every route, with a request that it would take, and the scope that it needs. */
  const routes = (): [string, string, unknown, string][] => [
    ['POST', '/agents', GOOD_START, 'start'],
    ['GET', '/agents', undefined, 'read'],
    ['GET', `/agents/${waiting}`, undefined, 'read'],
    ['GET', `/agents/${waiting}/events`, undefined, 'read'],
    ['GET', `/agents/${waiting}/messages`, undefined, 'read'],
    ['GET', `/agents/${waiting}/asks`, undefined, 'read'],
    ['POST', `/agents/${waiting}/resume`, { input: freeText('stolen') }, 'answer'],
    ['POST', `/agents/${waiting}/cancel`, {}, 'cancel'],
  ];
  const untouched = async () => {
    expect(await api.read(waiting)).toMatchObject({
      status: 'awaiting_input',
      pending_input_context: { ask_id: 'q1' },
    });
    expect(await stack.historyTypes(waiting)).not.toContain('WorkflowExecutionSignaled');
    expect(await stack.historyTypes(waiting)).not.toContain('WorkflowExecutionCancelRequested');
  };

  test.each([
    ['nothing', ''],
    ['an empty key', 'Bearer '],
    ['a wrong key', 'Bearer wrong-key-000000000'],
    ['a key cut short', `Bearer ${TEST_KEY.slice(0, -1)}`],
    ['a key and more', `Bearer ${TEST_KEY}x`],
    ['another scheme', `Basic ${TEST_KEY}`],
    ['no scheme', TEST_KEY],
    ['the digest in place of its key', `Bearer ${createHash('sha256').update('hashed-key-0000').digest('hex')}`],
  ])('%s is 401 on every route, streams included', async (_name, authorization) => {
    for (const [method, path, body] of routes()) {
      for (const headers of [
        { authorization, accept: '*/*' },
        { authorization, accept: 'text/event-stream' },
      ]) {
        const reply = await api.call(method, path, body, headers);
        expect(refusal(path, reply)).toEqual(refusedAs(path, 401, 'unauthorized'));
        expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
    }
    await untouched();
  });

  test.each([
    ['malformed JSON', 'POST', '/agents', '{', {}],
    ['a body of another type', 'POST', '/agents', 'x', { 'content-type': 'text/plain' }],
    ['a body that is too large', 'POST', '/agents', 'x'.repeat(300_000), {}],
    ['a bad body', 'POST', '/agents/WAITING/resume', { zzz: 1 }, {}],
    ['an answer to a run that is not there', 'POST', '/agents/nobody/resume', { input: {} }, {}],
    ['an unknown run', 'GET', '/agents/nobody', undefined, {}],
    ['a bad query', 'GET', '/agents?limit=x', undefined, {}],
    ['an unknown route', 'GET', '/nothing', undefined, {}],
    ['a path that cannot be decoded', 'GET', '/agents/%zz', undefined, {}],
  ])('401 wins over %s', async (_name, method, path, body, headers) => {
    const target = path.replace('WAITING', waiting);
    const reply = await api.as('wrong-key-000000000').call(method, target, body, headers);
    expect(refusal(target, reply)).toEqual(refusedAs(target, 401, 'unauthorized'));
  });

  test('two keys in one request, or one with white space around it, are no way in', async () => {
    const head = [`GET /api/platform/v1/agents/${waiting} HTTP/1.1`, 'host: x'];
    for (const lines of [
      ['authorization: Bearer wrong-key-00000000', `authorization: Bearer ${TEST_KEY}`],
      [`authorization: Bearer  ${TEST_KEY}`],
      [`authorization: Bearer ${TEST_KEY} ${TEST_KEY}`],
      [`authorization: Bearer "${TEST_KEY}"`],
      [`x-authorization: Bearer ${TEST_KEY}`],
      [`proxy-authorization: Bearer ${TEST_KEY}`],
    ]) {
      const reply = await sendRaw(api.url, requestBytes([...head, ...lines]));
      expect({ lines, status: reply?.status }).toEqual({ lines, status: 401 });
      expectErrorBody(401, reply?.headers.get('content-type') ?? null, reply?.text ?? '');
    }
    for (const query of [`?key=${TEST_KEY}`, `?access_token=${TEST_KEY}`, `?authorization=Bearer%20${TEST_KEY}`]) {
      expect((await api.call('GET', `/agents${query}`, undefined, { authorization: '' })).status).toBe(401);
    }
  });

  test.each(['read', 'start', 'answer', 'cancel'] as const)(
    'a key with the scope %s alone gets 403 where another is needed, before its body is looked at',
    async (scope) => {
      const caller = api.as(scoped(scope));
      for (const [method, path, body, needed] of routes()) {
        if (needed === scope) continue;
        for (const sent of method === 'POST' ? [body, '{', { zzz: 1 }] : [body]) {
          const reply = await caller.call(method, path, sent);
          expect(refusal(path, reply)).toEqual(refusedAs(path, 403, 'forbidden'));
          expect(reply.body.message).toContain(needed);
        }
        // Unknown runs are no exception: the scope is of the key, whatever the run.
        const elsewhere = path.replace(waiting, 'nobody');
        expect((await caller.call(method, elsewhere, body)).status).toBe(403);
      }
      await untouched();
    },
  );

  test('a key with no scope at all is told 403, not 401', async () => {
    for (const [method, path, body] of routes()) {
      const reply = await api.as('no-scope-000000000').call(method, path, body);
      expect(refusal(path, reply)).toEqual(refusedAs(path, 403, 'forbidden'));
    }
  });

  test('each scope is enough for what it names, and a key kept as a digest works like any other', async () => {
    const run = (
      await api
        .as(scoped('start'))
        .call('POST', '/agents', { agent: 'scripted', input: script([freeForm(), freeForm()]) })
    ).body;
    const id = run.run_id as string;
    await api.untilWaiting(id);
    for (const [method, path] of routes().filter(([, , , needed]) => needed === 'read')) {
      expect((await api.as(scoped('read')).call(method, path.replace(waiting, id))).status).toBe(200);
    }
    expect((await api.as(scoped('answer')).resume(id, freeText('yes'))).status).toBe(200);
    await api.untilWaiting(id, 'q2');
    expect((await api.as('hashed-key-0000').resume(id, freeText('no'), { ask_id: 'q2' })).status).toBe(200);
    const answered = (await api.events(id)).filter(({ type }) => type === 'ask.answered');
    // Who answered is the key, never anything that a body says.
    expect(answered.map(({ data }) => [data.principal, data.channel, data.by])).toEqual([
      ['answerer', 'http', 'human'],
      ['hashed', 'http', 'human'],
    ]);
    expect((await api.as(scoped('cancel')).call('POST', `/agents/${waiting}/cancel`)).status).toBe(202);
  });
});
