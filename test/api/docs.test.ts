/** The pages without a key (CONTRACT §5, §12): docs, health, readiness. None of them shows a run. */
import { freeForm, script } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('pages without a key', () => {
  let stack: TestStack;
  let url: string;
  beforeAll(async () => {
    stack = await TestStack.start();
    url = stack.api.url;
  });
  afterAll(() => stack.stop());

  const page = async (path: string) => {
    const reply = await fetch(new URL(path, url));
    return { url: reply.url, status: reply.status, type: reply.headers.get('content-type'), text: await reply.text() };
  };
  /** What a browser would load of a page: `src` and `href` of its tags. */
  const assetsOf = (html: string) => [...html.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, target]) => target ?? '');

  test.each(['/docs', '/docs/', '/api/platform/v1/docs'])(
    '%s is a page that loads with all its assets',
    async (path) => {
      const docs = await page(path);
      expect({ status: docs.status, type: docs.type }).toEqual({
        status: 200,
        type: expect.stringMatching(/^text\/html/),
      });
      const assets = assetsOf(docs.text);
      expect(assets.length).toBeGreaterThan(3);
      for (const asset of assets) {
        const target = new URL(asset, docs.url);
        expect(target.origin).toBe(url);
        const loaded = await page(target.href);
        expect({ asset, status: loaded.status, empty: loaded.text.length === 0 }).toEqual({
          asset,
          status: 200,
          empty: false,
        });
      }
    },
  );

  test('the docs page asks nothing of any other host: its sources are its own, and so is what it may connect to', async () => {
    const reply = await fetch(`${url}/docs/`);
    const policy = reply.headers.get('content-security-policy') ?? '';
    // connect-src falls back to default-src: the browser itself stops a request to another host.
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain('connect-src');
    const html = await reply.text();
    expect(html).not.toMatch(/https?:\/\//);
    const initializer = await page('/docs/static/swagger-initializer.js');
    // Swagger's online badge would send the document's address away.
    expect(initializer.text).toMatch(/validatorUrl: (null|undefined|"none"|false)/);
    expect(initializer.text).toMatch(/url: resolveUrl\('\.\/json'\)/);
    const css = assetsOf(html).filter((asset) => asset.endsWith('.css'));
    for (const sheet of css) expect((await page(sheet)).text).not.toMatch(/url\(["']?https?:|@import/);
  });

  test('healthz says that the process lives, readyz that Temporal answers', async () => {
    expect(await page('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(await page('/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  });

  test('a file outside of the docs is not served through them', async () => {
    for (const path of ['/docs/static/..%2f..%2fpackage.json', '/docs/static/%2e%2e/%2e%2e/package.json', '/docs/x']) {
      const { text, status } = await page(path);
      expect({ path, status: status >= 400 && status < 500, leaks: text.includes('devDependencies') }).toEqual({
        path,
        status: true,
        leaks: false,
      });
    }
  });

  test('none of them shows a run', async () => {
    const run = await stack.api.start(script([freeForm('Is the secret phrase zanzibar?')]), {
      metadata: { a: 'xanadu' },
    });
    await stack.api.untilWaiting(run.run_id);
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs', '/docs/json', '/docs/yaml']) {
      expect((await page(path)).text).not.toMatch(new RegExp(`zanzibar|xanadu|${run.run_id}`));
    }
  });
});
