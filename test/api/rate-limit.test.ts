/** CONTRACT §5, 429 `rate_limited`: requests a second for one key. */
import { DocumentedCaller } from '../support/documented';
import { eventually, OTHER_KEY } from '../support/http';
import { refusal, refusedAs } from '../support/refusals';
import { TestStack } from '../support/stack';

const LIMIT = 5;
const NAMESAKE = 'namesake-key-000000';

describe('the rate limit', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  beforeAll(async () => {
    const keys = [
      { name: 'ops', key: 'test-key-000000000000', workspace: 'acme' },
      { name: 'other', key: OTHER_KEY, workspace: 'acme' },
      { name: 'ops', key: NAMESAKE, workspace: 'rival' },
    ];
    stack = await TestStack.start({ app: { keys, rateLimit: LIMIT } });
    api = await DocumentedCaller.of(stack.api);
  });
  afterAll(() => stack.stop());

  const burst = (caller: DocumentedCaller, requests: number) =>
    Promise.all(Array.from({ length: requests }, () => caller.call('GET', '/agents/nobody')));

  test('more than it allows at once are 429 with the moment to come back, and only for that key', async () => {
    const replies = await burst(api, 8 * LIMIT);
    const limited = replies.filter(({ status }) => status === 429);
    expect(replies.filter(({ status }) => status === 404).length).toBeGreaterThanOrEqual(LIMIT);
    expect(limited.length).toBeGreaterThan(0);
    for (const reply of limited) {
      expect(refusal('burst', reply)).toEqual(refusedAs('burst', 429, 'rate_limited'));
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    // The key has used up its second many times over; the others have all of theirs.
    for (const key of [OTHER_KEY, NAMESAKE]) {
      expect((await burst(api.as(key), LIMIT)).map(({ status }) => status)).toEqual(Array(LIMIT).fill(404));
    }
  });

  test('it holds for calls over MCP', async () => {
    const headers = { authorization: `Bearer ${NAMESAKE}`, 'content-type': 'application/json', accept: '*/*' };
    const call = () => fetch(`${api.url}/mcp`, { method: 'POST', headers, body: '{}' });
    const replies = await Promise.all(Array.from({ length: 8 * LIMIT }, call));
    const limited = replies.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(await limited[0]?.json()).toMatchObject({ error: 'rate_limited' });
  });

  test('it passes: the key is served again', async () => {
    await burst(api, 2 * LIMIT);
    expect(await eventually(async () => (await burst(api, 1))[0]?.status === 404, 10)).toBe(true);
  });

  test('a wrong key is 401 however often it knocks, and takes nothing from the others', async () => {
    const strangers = await burst(api.as('wrong-key-00000000'), 4 * LIMIT);
    expect(new Set(strangers.map(({ status }) => status))).toEqual(new Set([401]));
    expect((await burst(api.as(OTHER_KEY), 1)).map(({ status }) => status)).not.toContain(401);
  });

  test('what needs no key is never limited: a health check above all', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs/']) {
      const replies = await Promise.all(Array.from({ length: 4 * LIMIT }, () => fetch(`${api.url}${path}`)));
      const statuses = replies.map(({ status }) => status);
      expect({ path, statuses }).toEqual({ path, statuses: Array(4 * LIMIT).fill(200) });
    }
  });
});
