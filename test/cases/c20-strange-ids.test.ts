/** C20 of CASES.md: strange run ids in the path. */
import http from 'node:http';
import { failedTasks } from '../support/histories';
import { choice, delegate, freeText, pick, script } from '../support/scripts';
import { TestStack } from '../support/stack';

interface RawReply {
  status: number;
  contentType: string;
  text: string;
}

/** As they stand in the path, and what may be said of them. */
const STRANGE_IDS: [id: string, statuses: number[]][] = [
  ['a%2Fb', [404]],
  ['..%2F..%2Fetc', [404]],
  ['%2e%2e%2fagents', [404]],
  ['%00', [404]],
  ['run%00id', [404]],
  ['%zz', [400]],
  ['%', [400]],
  ['%E0%A4%A', [400]],
  ['%ff%fe', [400]],
  ['%25', [404]],
  ['%2525', [404]],
  ['%252F', [404]],
  ['%F0%9F%98%80', [404]],
  ['run_%E2%80%8B', [404]],
  ['%20', [404]],
  ['run_x%20', [404]],
  ['run_x%0a', [404]],
  ['a+b', [404]],
  ['a;b', [404]],
  ['a:b', [404]],
  ["'%20OR%201=1", [404]],
  ['__proto__', [404]],
  ['constructor', [404]],
  ['..', [404]],
  ['.', [404]],
  ['', [404]],
  ['/', [404]],
  ['x'.repeat(64), [404]],
  ['x'.repeat(65), [404]],
  ['x'.repeat(101), [404]],
  ['x'.repeat(5_000), [404, 414]],
  ['%F0%9F%98%80'.repeat(400), [404, 414]],
  ['x'.repeat(14_000), [404, 414]],
  // More than a request's head may hold: refused before there is a path to look at.
  ['x'.repeat(20_000), [400, 404, 414, 431]],
];

/** With a name for the title: an id may be thousands of characters. */
function shortened(rows: typeof STRANGE_IDS): [name: string, id: string, statuses: number[]][] {
  const nameOf = (id: string) => (id.length <= 64 ? `"${id}"` : `"${id.slice(0, 12)}…" (${id.length})`);
  return rows.map(([id, statuses]) => [nameOf(id), id, statuses]);
}

describe('C20 strange run ids', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  /** A request whose path goes out as it is: `fetch` would clean it up first. */
  function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<RawReply> {
    const { hostname, port } = new URL(stack.api.url);
    const json = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = http.request({
        hostname,
        port,
        path,
        method,
        agent: false,
        headers: {
          authorization: `Bearer ${stack.api.key}`,
          ...(json === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
          ...headers,
        },
      });
      request.setTimeout(15_000, () => request.destroy(new Error(`no reply for ${method} ${path.slice(0, 200)}`)));
      request.once('error', reject);
      request.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, contentType: response.headers['content-type'] ?? '', text }),
        );
      });
      request.end(json);
    });
  }

  /** Every call that takes a run id. */
  const callsOn = (id: string) => {
    const at = `/api/platform/v1/agents/${id}`;
    return [
      () => send('GET', at),
      () => send('POST', `${at}/resume`, { input: freeText('x') }),
      () => send('POST', `${at}/cancel`),
      () => send('GET', `${at}/events`),
      () => send('GET', `${at}/events`, undefined, { accept: 'text/event-stream' }),
      () => send('GET', `${at}/messages`),
      () => send('GET', `${at}/asks`),
      () => send('GET', `${at}/asks?state=all`),
    ];
  };

  test.each(shortened(STRANGE_IDS))(
    '%s is a JSON error on every call, and reaches no run',
    async (_name, id, statuses) => {
      for (const call of callsOn(id)) {
        const { status, contentType, text } = await call();
        expect(statuses).toContain(status);
        expect(contentType).toMatch(/^application\/json/);
        expect(JSON.parse(text)).toEqual({ error: expect.any(String), message: expect.any(String) });
      }
    },
  );

  test('a run that exists is not reached by another spelling of its id', async () => {
    const { run_id } = await stack.api.start(script([choice('A', 'B')]));
    await stack.api.untilWaiting(run_id);
    const before = await stack.historyTypes(run_id);
    for (const id of [
      `${run_id}%00`,
      `${run_id}%20`,
      `%20${run_id}`,
      `${run_id}%2F`,
      `${run_id}%2Fx`,
      `x%2F..%2F${run_id}`,
      run_id.toUpperCase(),
      `${run_id}.`,
      `${run_id};x`,
      run_id.replace('_', '%255f'),
    ]) {
      for (const call of callsOn(id)) expect((await call()).status).toBe(404);
    }
    expect(await stack.historyTypes(run_id)).toEqual(before);
    // Percent-encoding is no other spelling: HTTP says it is the same id.
    expect((await send('GET', `/api/platform/v1/agents/${run_id.replace('_', '%5F')}`)).status).toBe(200);
    expect(await failedTasks(stack.client, run_id)).toEqual([]);
  });

  test('every id that the system gives out works as it is, four sub-agents deep and with a chosen root id', async () => {
    const { api } = stack;
    const chosen = `r-${'x'.repeat(30)}_${Date.now().toString(36)}_${'9'.repeat(64)}`.slice(0, 64);
    let nested = script([choice('A', 'B')], 'deepest');
    for (let depth = 0; depth < 4; depth += 1) nested = script([delegate(nested)], `level ${depth}`);
    const { run_id: root } = await api.start(nested, { run_id: chosen });
    expect(root).toBe(chosen);
    await api.until(root, (run) => run.children_awaiting.length === 1);

    const line = [root];
    for (let id: string | undefined = root; id;) {
      const events = await api.events(id);
      id = events.find(({ type }) => type === 'child.started')?.data.child_run_id as string | undefined;
      if (id) line.push(id);
    }
    expect(line).toHaveLength(5);
    const deepest = line.at(-1) as string;
    for (const above of line.slice(0, -1)) {
      const frame = (await api.events(above)).find(({ type }) => type === 'child_needs_human');
      expect(frame?.data.child_run_id).toBe(deepest);
    }
    for (const [depth, id] of line.entries()) {
      expect(id).toMatch(depth === 0 ? /^[A-Za-z0-9_-]{1,64}$/ : /^run_[0-9a-z]{20,60}$/);
      expect(line.some((other) => other !== id && id.includes(other))).toBe(false);
      const { status, text } = await send('GET', `/api/platform/v1/agents/${id}`);
      expect(status).toBe(200);
      expect(JSON.parse(text)).toMatchObject({ run_id: id, root_run_id: root, parent_run_id: line[depth - 1] ?? null });
    }
    const { pending_input_context: question } = await api.read(deepest);
    const ids = [question?.ask_id, ...(question?.options ?? []).map((option) => option.id)];
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);

    const answered = await send('POST', `/api/platform/v1/agents/${deepest}/resume`, { input: pick('q1_o2') });
    expect(answered.status).toBe(200);
    expect((await api.untilEnded(root)).status).toBe('completed');
    expect(await api.toolResults(deepest, 'ask_a_human')).toEqual([{ answer: 'B', option_id: 'q1_o2' }]);
    expect(await failedTasks(stack.client, ...line)).toEqual([]);
  });
});
