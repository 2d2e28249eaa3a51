/** The console's files and the widget as the API serves them, and pages of other origins. No browser: what goes over the wire. */
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { choice, script } from '../support/scripts';
import { TestStack } from '../support/stack';

const DIST = path.resolve(__dirname, '../../dist/console');
const ORIGIN = 'https://app.example.com';

describe('the console over HTTP', () => {
  let stack: TestStack;
  let open: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start({ app: { corsOrigins: [ORIGIN], temporalUi: 'http://ui.test' } });
    open = await TestStack.start({ app: { corsOrigins: ['*'] } });
  });
  afterAll(async () => {
    await stack?.stop();
    await open?.stop();
  });

  /** A request as it is: `fetch` would decode what is compressed, and may not set every header. */
  function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
    return new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      const request = http.request(`${stack.api.url}${url}`, { method, headers, agent: false }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
        );
      });
      request.on('error', reject).end();
    });
  }

  /** What `/` makes a browser load: every `src` and `href` of it. */
  async function assets(): Promise<string[]> {
    const { body } = await get('/');
    return [...body.toString().matchAll(/\b(?:src|href)="\.\/([^"]+)"/g)].map(([, file]) => `/${file ?? ''}`);
  }

  test('the page needs no key, is asked for again each time, and its policy lets in nothing from elsewhere', async () => {
    const { status, headers, body } = await get('/');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/html/);
    expect(headers['cache-control']).toBe('no-cache');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|http:|https:|data:|\*/);
    // No inline script, style or handler: the policy would stop it.
    expect(body.toString()).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|https?:\/\//);
    expect((await get('/', {}, 'HEAD')).status).toBe(200);
  });

  test('every file it loads is kept for ever under a name of its content, and is not sent again to who has it', async () => {
    const files = await assets();
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of [...files, '/', '/holdpoint-ask.js']) {
      const first = await get(file);
      expect({ file, status: first.status, etag: first.headers.etag }).toEqual({
        file,
        status: 200,
        etag: expect.stringMatching(/^(W\/)?"/),
      });
      if (files.includes(file)) expect(first.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      const again = await get(file, { 'if-none-match': String(first.headers.etag) });
      expect({ file, status: again.status, length: again.body.length }).toEqual({ file, status: 304, length: 0 });
    }
  });

  test('who takes compressed files gets them', async () => {
    for (const encoding of ['gzip', 'br']) {
      const { headers, body } = await get('/holdpoint-ask.js', { 'accept-encoding': encoding });
      expect(headers['content-encoding']).toBe(encoding);
      expect(String(headers.vary)).toMatch(/accept-encoding/i);
      expect(headers['content-type']).toMatch(/javascript/);
      expect(body.length).toBeLessThan(45 * 1024);
    }
    expect((await get('/holdpoint-ask.js')).headers['content-encoding']).toBeUndefined();
  });

  test('budgets: the widget is at most 40 kB gzip, the first load of the console at most 120 kB gzip', async () => {
    const size = (file: string) => gzipSync(readFileSync(path.join(DIST, file)), { level: 9 }).length;
    expect(size('holdpoint-ask.js')).toBeLessThanOrEqual(40_000);
    const loaded = ['index.html', ...(await assets())];
    expect(loaded.reduce((sum, file) => sum + size(file), 0)).toBeLessThanOrEqual(120_000);
    // Nothing is loaded later either.
    const rest = readdirSync(path.join(DIST, 'assets')).filter((file) => !/\.(gz|br)$/.test(file));
    expect(rest.sort()).toEqual((await assets()).map((file) => path.basename(file)).sort());
  });

  test('the widget is one module with nothing beside it', () => {
    const code = readFileSync(path.join(DIST, 'holdpoint-ask.js'), 'utf8');
    expect(code).not.toMatch(/\bimport\s*["'(]|\bfrom\s*["']/);
    expect(code).toMatch(/export\s*\{/);
  });

  test('what is not a file stays JSON, is not kept, and nothing outside of the folder is served', async () => {
    const key = { authorization: `Bearer ${stack.api.key}` };
    for (const url of ['/assets/nothing.js', '/assets/..%2findex.html', '/assets/%2e%2e%2f.built', '/assets/x%00.js']) {
      const { status, headers, body } = await get(url);
      expect({ url, status: [400, 401, 404].includes(status) }).toEqual({ url, status: true });
      expect(JSON.parse(body.toString())).toMatchObject({ error: expect.any(String), message: expect.any(String) });
      expect(headers['cache-control']).toBeUndefined();
    }
    for (const url of ['/index.html', '/inbox', '/runs', '/console', '/holdpoint-ask.js.map']) {
      expect({ url, status: (await get(url)).status }).toEqual({ url, status: 401 });
      expect({ url, status: (await get(url, key)).status }).toEqual({ url, status: 404 });
    }
  });

  test('GET /me: whose key it is, what it may do, and where the workflows are', async () => {
    expect((await stack.api.call('GET', '/me')).body).toEqual({
      name: 'tester',
      workspace: 'acme',
      scopes: ['read', 'start', 'answer', 'cancel'],
      temporal_ui: 'http://ui.test/namespaces/default/workflows/',
    });
    expect((await open.api.call('GET', '/me')).body.temporal_ui).toBeNull();
  });

  describe('pages of other origins', () => {
    const preflight = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,idempotency-key',
    };
    const resume = '/api/platform/v1/agents/run_1/resume';

    test('one on the list may ask without a key, and may read replies, errors and streams', async () => {
      const asked = await get(resume, { origin: ORIGIN, ...preflight }, 'OPTIONS');
      expect(asked.status).toBe(204);
      expect(asked.headers).toMatchObject({
        'access-control-allow-origin': ORIGIN,
        'access-control-allow-headers': 'authorization,idempotency-key',
        'access-control-allow-methods': expect.stringContaining('POST'),
      });
      const { run_id } = await stack.api.start(script([choice('A', 'B')]));
      const authorization = `Bearer ${stack.api.key}`;
      const run = `/api/platform/v1/agents/${run_id}`;
      const replies = [
        await get(run, { origin: ORIGIN, authorization }),
        await get(run, { origin: ORIGIN }),
        await get('/api/platform/v1/agents/nope', { origin: ORIGIN, authorization }),
        await get('/holdpoint-ask.js', { origin: ORIGIN }),
      ];
      expect(replies.map(({ status }) => status)).toEqual([200, 401, 404, 200]);
      const stream = await fetch(`${stack.api.url}${run}/events`, {
        headers: { origin: ORIGIN, authorization, accept: 'text/event-stream' },
      });
      await stream.body?.cancel();
      expect(stream.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      for (const { headers } of replies) {
        expect(headers['access-control-allow-origin']).toBe(ORIGIN);
        expect(headers['access-control-expose-headers']).toContain('Retry-After');
        expect(String(headers.vary)).toMatch(/\borigin\b/i);
        // With cookies nobody could be told apart from the page that uses them.
        expect(headers['access-control-allow-credentials']).toBeUndefined();
      }
    });

    test('any other gets nothing, and an OPTIONS that is no preflight its JSON error', async () => {
      for (const origin of ['https://evil.example', `${ORIGIN}.evil.example`, 'null', 'https://APP.example.com:444']) {
        const { headers, status } = await get(resume, { origin, ...preflight }, 'OPTIONS');
        expect({ origin, allowed: headers['access-control-allow-origin'], status }).toEqual({
          origin,
          allowed: undefined,
          status: 401,
        });
        expect((await get('/', { origin })).headers['access-control-allow-origin']).toBeUndefined();
      }
      const bare = await get(resume, { origin: ORIGIN }, 'OPTIONS');
      expect([bare.status, JSON.parse(bare.body.toString())]).toEqual([
        401,
        expect.objectContaining({ error: 'unauthorized' }),
      ]);
    });

    test('with * every origin may', async () => {
      const reply = await fetch(`${open.api.url}/holdpoint-ask.js`, { headers: { origin: 'https://any.example' } });
      expect(reply.headers.get('access-control-allow-origin')).toBe('https://any.example');
      await reply.body?.cancel();
    });
  });
});
