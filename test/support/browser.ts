/** A real Chromium for tests of pages, and what they do with it again and again. */
import axe from 'axe-core';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { findChromium, LAUNCH_ARGS } from './chromium';

/**
 * A suite that needs a browser. Without one it is skipped, and says so where nobody can miss it; with
 * `HOLDPOINT_REQUIRE_BROWSER=1`, as in CI, it fails instead.
 */
export function describeInBrowser(name: string, suite: () => void): void {
  if (findChromium()) {
    describe(name, suite);
    return;
  }
  const told = 'no Chromium: set CHROMIUM_PATH, or install it (Debian: apt-get install chromium)';
  if (process.env.HOLDPOINT_REQUIRE_BROWSER === '1') {
    describe(name, () => test('needs a browser', () => expect(told).toBe('a browser')));
    return;
  }
  process.stderr.write(`\n*** SKIPPED, ${told}\n*** ${name}\n\n`);
  describe.skip(name, suite);
}

/** One browser; every context of it is a person of its own, who shares nothing with the others. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium() ?? '', args: [...LAUNCH_ARGS] });
}

/** What a page did that nobody sees: errors, what it wrote to its console, whom it called. */
export interface Watched {
  errors: string[];
  logged: string[];
  requested: string[];
}

/** A page that is watched from its first moment. Errors of the network are the browser's own lines, and no fault of the page. */
export async function openPage(
  browser: Browser | BrowserContext,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; watched: Watched }> {
  const context = 'newContext' in browser ? await browser.newContext(options) : browser;
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const watched: Watched = { errors: [], logged: [], requested: [] };
  page.on('pageerror', (error) => watched.errors.push(String(error)));
  page.on('request', (request) => watched.requested.push(request.url()));
  page.on('console', (message) => {
    watched.logged.push(message.text());
    const byNetwork = /^Failed to load resource|net::ERR_/.test(message.text());
    if (message.type() === 'error' && !byNetwork) watched.errors.push(message.text());
  });
  return { page, watched };
}

/** Opens the console at a hash, signed in. */
export async function signIn(page: Page, url: string, key: string, hash = '/inbox'): Promise<void> {
  await page.goto(`${url}/#${hash}`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Fails with what axe finds on the page as it is now, shadow roots included. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  if (!(await page.evaluate<boolean>('typeof axe !== "undefined"'))) await page.evaluate(axe.source);
  const result = await page.evaluate<AxeResult>(`axe.run(document, { runOnly: ${JSON.stringify(TAGS)} })`);
  const found = result.violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary ?? ''}`),
  }));
  expect({ state, found }).toEqual({ state, found: [] });
}

/** Fails when the page has to be scrolled sideways. */
export async function expectNoSidewaysScroll(page: Page, state: string): Promise<void> {
  const over = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect({ state, over }).toEqual({ state, over: 0 });
}
