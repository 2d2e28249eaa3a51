/** Pages that stay open while what is behind them goes away and comes back: real processes, killed. */
import net from 'node:net';
import type { Browser, Page } from 'playwright-core';
import {
  describeInBrowser,
  expectAccessible,
  expectNoSidewaysScroll,
  openBrowser,
  openPage,
  signIn,
} from '../support/browser';
import { eventually, TEST_KEY, type ApiCaller } from '../support/http';
import { ProcessStack, type Program } from '../support/processes';
import { freeForm, script } from '../support/scripts';

describeInBrowser('open pages and outages', () => {
  const stack = new ProcessStack();
  let browser: Browser;
  let port: string;
  let api: ApiCaller;
  let apiProgram: Program;
  let worker: Program;

  const startApi = async () => ({ api, program: apiProgram } = await stack.startApi({ PORT: port }));

  beforeAll(async () => {
    port = await freePort();
    await stack.startTemporal();
    worker = await stack.startWorker();
    await startApi();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await stack.stop();
  });

  async function paused(question: string): Promise<string> {
    const { run_id } = await api.start(script([freeForm(question)]));
    await api.untilWaiting(run_id);
    return run_id;
  }

  const answerField = (page: Page) => page.getByRole('textbox', { name: 'Your answer' });
  const send = (page: Page) => page.getByRole('button', { name: 'Send answer' });

  test('the API is killed under an open page: it says so, keeps what is typed, heals, and the answer is one answer', async () => {
    const runId = await paused('Through the outage?');
    const { page, watched } = await openPage(browser);
    await signIn(page, api.url, TEST_KEY, `/inbox/${runId}/q1`);
    await answerField(page).fill('yes, whatever happens');
    const keys: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/resume')) keys.push(request.headers()['idempotency-key'] ?? '');
    });
    await apiProgram.kill();
    await page.getByText('No connection to the server. Reconnecting…').waitFor();
    await expectAccessible(page, 'no connection');

    // The API is away for longer than the widget tries by itself.
    await send(page).click();
    await page.locator('#summary', { hasText: 'The server cannot be reached. What you wrote is kept' }).waitFor();
    expect(await answerField(page).inputValue()).toBe('yes, whatever happens');
    await expectAccessible(page, 'not sent');

    // It comes back while the widget tries; where it starts slowly, the person tries once more.
    await send(page).click();
    await startApi();
    const sent = page.getByText('Your answer was sent.').first();
    await eventually(async () => {
      if (await page.locator('#summary').isVisible()) await send(page).click();
      return sent.isVisible();
    }, 60);
    await page.getByText('Your answer was sent.').first().waitFor();
    expect(keys.length).toBeGreaterThan(2);
    expect(new Set(keys).size).toBe(1);
    await api.untilEnded(runId);
    expect(await api.toolResults(runId)).toEqual([{ answer: 'yes, whatever happens' }]);

    await page.getByText('Connected again.').waitFor();
    await paused('After it?');
    await page
      .getByRole('link', { name: /After it\?/ })
      .first()
      .waitFor();
    expect(watched.errors).toEqual([]);
  });

  test('a page of a run goes on where its stream broke off', async () => {
    const runId = await paused('Watched?');
    const { page } = await openPage(browser);
    await signIn(page, api.url, TEST_KEY, `/runs/${runId}`);
    await page.locator('.timeline').getByText('waits for a person').waitFor();
    const before = await page.locator('.timeline > li').count();
    const phone = { colorScheme: 'dark' as const, viewport: { width: 320, height: 640 } };
    const { page: other } = await openPage(browser, phone);
    const { page: outside } = await openPage(browser, phone);
    await signIn(other, api.url, TEST_KEY, '/inbox');
    await outside.goto(`${api.url}/`);
    await apiProgram.kill();
    await page.getByText('The live view is interrupted. Reconnecting…').waitFor();
    await expectAccessible(page, 'a run, no connection');

    // Pages that have nothing to show yet say so, and offer to try again; a key is not called wrong for that.
    await outside.getByLabel('API key').fill(TEST_KEY);
    await outside.getByRole('button', { name: 'Sign in' }).click();
    await outside.getByText('The server cannot be reached. Try again in a moment.').waitFor();
    await expectAccessible(outside, 'sign in, no connection');
    for (const name of ['Runs', 'Start']) {
      await other.getByRole('link', { name, exact: true }).click();
      await other.getByText('The server cannot be reached.').waitFor();
      await other.getByRole('button', { name: 'Try again' }).waitFor();
      await expectAccessible(other, `${name}, no connection`);
      await expectNoSidewaysScroll(other, `${name}, no connection`);
    }
    await startApi();
    await outside.getByRole('button', { name: 'Sign in' }).click();
    await outside.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    // The page that was being opened comes by itself.
    await other.getByLabel('Agent').waitFor();
    await answerField(page).fill('seen');
    await send(page).click();
    await page.locator('.timeline').getByText('Completed').waitFor();
    const types = await page
      .locator('.timeline > li')
      .evaluateAll<string[], HTMLElementLike>((items) => items.map((item) => item.getAttribute('data-type') ?? ''));
    const { body } = await api.call<{ events: { type: string }[] }>('GET', `/agents/${runId}/events`);
    expect(types).toEqual(body.events.map(({ type }) => type));
    expect(types.length).toBeGreaterThan(before);
  });

  test('no worker: the question is read, the answer is stored, and is delivered when one is back', async () => {
    const runId = await paused('Is anybody there?');
    await worker.kill();
    const { page } = await openPage(browser);
    await signIn(page, api.url, TEST_KEY, `/runs/${runId}`);
    await answerField(page).fill('somebody');
    await send(page).click();
    await page.locator('[part=queued]', { hasText: 'Your answer is stored.' }).waitFor();
    await expectAccessible(page, 'queued');
    await page.reload();
    await page.locator('[part=queued]', { hasText: 'Your answer is stored.' }).waitFor();
    await page.getByRole('link', { name: 'Transcript' }).click();
    await page.getByText('The transcript is kept by a worker, and none answers right now.').waitFor();
    await expectAccessible(page, 'no worker');
    worker = await stack.startWorker();
    await page.getByText('Answered by tester: somebody').first().waitFor({ timeout: 60_000 });
    expect(await page.locator('[part=unsent]').count()).toBe(0);
    await page.locator('h1', { hasText: 'Completed' }).waitFor();
    await page.locator('.transcript').getByText('"answer": "somebody"').waitFor({ timeout: 60_000 });
  });
});

/** What is used of an element here, where there is no DOM. */
interface HTMLElementLike {
  getAttribute: (name: string) => string | null;
}

async function freePort(): Promise<string> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}
