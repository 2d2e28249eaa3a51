/** Question, labels and context come from a model: whatever they hold, nothing of it runs, loads or leads somewhere else. */
import type { Browser } from 'playwright-core';
import { describeInBrowser, openBrowser, openPage, signIn } from '../support/browser';
import { startHostPage, type HostPage } from '../support/host-page';
import { TEST_KEY } from '../support/http';
import { script } from '../support/scripts';
import { TestStack } from '../support/stack';

/** Each would call `pwned` if it ran, or fetch from `evil.test` if it loaded. */
const PAYLOADS = [
  '<script>pwned(1)</script>',
  '<img src=x onerror=pwned(2)>',
  '<svg onload=pwned(3)>',
  '<svg><script>pwned(4)</script></svg>',
  '<iframe src="javascript:pwned(5)"></iframe>',
  '<iframe srcdoc="<script>parent.pwned(6)</script>"></iframe>',
  '<a href="javascript:pwned(7)">click</a>',
  '[click](javascript:pwned(8))',
  '[click](JaVaScRiPt:pwned(9))',
  '[click](&#106;avascript:pwned(10))',
  '[click](java\tscript:pwned(11))',
  '[click](<javascript:pwned(12)>)',
  '[click](data:text/html,<script>pwned(13)</script>)',
  '[click](vbscript:pwned(14))',
  '![x](javascript:pwned(15))',
  '![x](https://evil.test/pixel.png "onerror=pwned(16)")',
  '![x" onerror="pwned(17)](x)',
  '<https://evil.test/" onmouseover="pwned(18)>',
  '[ref]\n\n[ref]: javascript:pwned(19)',
  '`<img src=x onerror=pwned(20)>`',
  '```html\n<script>pwned(21)</script>\n```',
  '| <img src=x onerror=pwned(22)> | b |\n|---|---|\n| <script>pwned(22)</script> | 2 |',
  '<style>@import "https://evil.test/x.css";body{background:url(https://evil.test/y.png)}</style>',
  '<link rel=stylesheet href=https://evil.test/z.css>',
  '<meta http-equiv=refresh content="0;url=https://evil.test/">',
  '<base href=https://evil.test/>',
  '<form action=https://evil.test/><button autofocus onfocus=pwned(27)>x</button></form>',
  '<math><mtext><table><mglyph><style><img src=x onerror=pwned(28)>',
  '<template shadowrootmode=open><script>pwned(29)</script></template>',
  '${pwned(30)} {{constructor.constructor("pwned(30)")()}} <!--lit-part--><?lit$0$>',
  '<details open ontoggle=pwned(31)><summary>x</summary></details>',
  '<video src=https://evil.test/v.mp4 onerror=pwned(32) autoplay></video>',
];

describeInBrowser('text that a model wrote', () => {
  let stack: TestStack;
  let browser: Browser;
  let host: HostPage;
  beforeAll(async () => {
    host = await startHostPage();
    [stack, browser] = await Promise.all([TestStack.start({ app: { corsOrigins: [host.origin] } }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await host?.close();
  });

  /** Elements, attributes and addresses that a payload would have to make; all roots are looked through. */
  const INSPECT = `(() => {
    const roots = [document];
    const found = [];
    for (const root of roots) {
      for (const node of root.querySelectorAll('*')) {
        if (node.shadowRoot) roots.push(node.shadowRoot);
        if (document.head.contains(node)) continue;
        if (/^(script|iframe|img|svg|style|link|meta|base|object|embed|video|math|template)$/i.test(node.localName)) found.push(node.outerHTML);
        for (const { name, value } of node.attributes) {
          if (name.startsWith('on')) found.push(name + '=' + value);
          if (/^(href|src|action)$/.test(name) && !/^(https?:|mailto:|#|\\.\\/)/.test(value)) found.push(name + '=' + value);
        }
      }
    }
    return found;
  })()`;

  test(`${PAYLOADS.length} payloads as question, label and context run nowhere, in the widget and in the console`, async () => {
    const { page: embedded, watched: one } = await openPage(browser);
    const { page: console_, watched: two } = await openPage(browser);
    for (const page of [embedded, console_]) {
      await page.addInitScript('window.ran = []; window.pwned = (n) => window.ran.push(n);');
      page.on('dialog', (dialog) => void dialog.dismiss());
    }
    await signIn(console_, stack.api.url, TEST_KEY);
    // All asks of one conversation: what the console's page of a run shows of each, its tree and timeline too.
    for (const [nth, payload] of PAYLOADS.entries()) {
      const args = { kind: 'multiple_choice', question: payload, options: [payload, `${payload} b`], context: payload };
      const { run_id } = await stack.api.start(script([{ tool: 'ask_a_human', args }], payload));
      await stack.api.untilWaiting(run_id);
      await embedded.goto(host.urlOf({ api: stack.api.url, runId: run_id }, { key: TEST_KEY }));
      await embedded.getByRole('radio').nth(2).waitFor();
      await console_.goto(`${stack.api.url}/#/runs/${run_id}/${['transcript', 'details', 'timeline'][nth % 3]}`);
      await console_.getByRole('heading', { name: 'Waits for an answer' }).waitFor();
      await console_.getByRole('radio').nth(2).waitFor();
      for (const page of [embedded, console_]) {
        const links = await page.locator('.markdown a').all();
        for (const link of links) expect(await link.getAttribute('href')).toMatch(/^(https?|mailto):/);
        expect({ payload, found: await page.evaluate(INSPECT) }).toEqual({ payload, found: [] });
        expect({ payload, ran: await page.evaluate('window.ran') }).toEqual({ payload, ran: [] });
      }
      // The text itself is there, as text.
      expect(await embedded.locator('[part=question]').textContent()).toBe(payload);
    }
    await console_.goto(`${stack.api.url}/#/inbox`);
    await console_.getByText('pwned(1)').first().waitFor();
    expect(await console_.evaluate('window.ran')).toEqual([]);
    expect([...one.errors, ...two.errors]).toEqual([]);
    const elsewhere = [...one.requested, ...two.requested].filter(
      (url) => !url.startsWith(stack.api.url) && !url.startsWith(host.origin),
    );
    expect(elsewhere).toEqual([]);
  });
});
