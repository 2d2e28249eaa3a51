/** An inbox with 500 questions: all are reached, and each change costs one row. */
import type { Browser } from 'playwright-core';
import { startDevServer, type DevServer } from '../../cli/dev-server';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract';
import { describeInBrowser, openBrowser, openPage, signIn } from '../support/browser';
import { eventually, ownWorkspace, TEST_KEY } from '../support/http';
import { delegate, freeForm, freeText, script } from '../support/scripts';
import { TestStack } from '../support/stack';

const ASKS = 500;
const EACH = 50;

describeInBrowser('an inbox with many questions', () => {
  let stack: TestStack;
  let browser: Browser;
  let server: DevServer;

  beforeAll(async () => {
    const keys = ownWorkspace();
    // A server of its own: other suites, which share one, would find theirs busy for minutes.
    server = await startDevServer({
      cliPath: process.env.HOLDPOINT_TEST_TEMPORAL_CLI ?? '',
      searchAttributes: SEARCH_ATTRIBUTES,
      extraArgs: ['--headless'],
    });
    process.env.HOLDPOINT_TEST_TEMPORAL_ADDRESS = server.address;
    [stack, browser] = await Promise.all([TestStack.start({ app: { keys } }), openBrowser()]);
    // Sub-agents are started by a worker alone, which is quicker than one call each.
    const below = Array.from({ length: EACH - 1 }, (_none, nth) =>
      delegate(script([freeForm(`Question ${nth}?`)]), { background: true }),
    );
    const many = script([[...below, freeForm('And the last question?')]]);
    for (let root = 0; root < ASKS / EACH; root += 1) await stack.api.start(many);
    const waiting = `HoldpointStatus = 'awaiting_input' AND HoldpointWorkspace = '${keys[0]?.workspace}'`;
    const all = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return (await stack.client.workflow.count(waiting)).count === ASKS;
    };
    if (!(await eventually(all, 240))) throw new Error('the questions were not asked');
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await server?.stop();
  });

  test('all are listed as one scrolls; what opens or closes touches no other row; what is out of sight is not drawn', async () => {
    const { page, watched } = await openPage(browser, { viewport: { width: 1280, height: 800 } });
    await signIn(page, stack.api.url, TEST_KEY);
    await page.getByText(`${ASKS} questions wait, oldest first`).waitFor({ timeout: 120_000 });
    expect(await page.title()).toBe(`(${ASKS}) Inbox · Holdpoint`);
    const rows = page.locator('.rows > li');
    expect(await rows.count()).toBeLessThan(ASKS);
    await eventually(async () => {
      await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
      return (await rows.count()) === ASKS;
    }, 150);
    expect(await rows.count()).toBe(ASKS);

    // Oldest first, each once.
    const times = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.rows time')].map((time) => time.dateTime)`,
    );
    expect(times).toEqual([...times].sort());
    const links = await page.evaluate<string[]>(`[...document.querySelectorAll('.rows a')].map((link) => link.href)`);
    expect(new Set(links).size).toBe(ASKS);

    // Rows far from the screen are skipped by the browser.
    const drawn = await page.evaluate<number>(
      `[...document.querySelectorAll('.rows a')].filter((link) => link.checkVisibility({ contentVisibilityAuto: true })).length`,
    );
    expect(drawn).toBeGreaterThan(5);
    expect(drawn).toBeLessThan(ASKS / 2);

    // Every row is marked; whatever is still marked afterwards was not made anew.
    await page.evaluate(`for (const row of document.querySelectorAll('.rows > li')) row.marked = true`);
    const watchedRows = `(window.changes = 0, new MutationObserver((records) => { window.changes += records.length; })
      .observe(document.querySelector('.rows'), { childList: true, subtree: true, characterData: true, attributes: true }))`;
    await page.evaluate(watchedRows);
    const [, runId = ''] = /inbox\/([^/]+)\/q1/.exec(links[250] ?? '') ?? [];
    await stack.api.resume(runId, freeText('answered elsewhere'));
    await page.getByText(`${ASKS - 1} questions wait, oldest first`).waitFor();
    await stack.api.start(script([freeForm('The newest?')]));
    await page.getByRole('link', { name: /The newest\?/ }).waitFor();
    const kept = await page.evaluate<number>(
      `[...document.querySelectorAll('.rows > li')].filter((row) => row.marked).length`,
    );
    expect(kept).toBe(ASKS - 1);
    expect(await page.evaluate<number>('window.changes')).toBeLessThan(50);

    // The last one is answered as quickly as the first: by its own widget, in the same list.
    await page.getByRole('link', { name: /The newest\?/ }).click();
    await page.getByRole('textbox', { name: 'Your answer' }).fill('here');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('Your answer was sent.').first().waitFor();
    await page.getByRole('link', { name: /The newest\?/ }).waitFor({ state: 'detached' });
    expect(watched.errors).toEqual([]);
  });
});
