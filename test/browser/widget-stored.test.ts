/** `<holdpoint-ask>` and an answer that was stored while no worker was there: what the run says of it later is what the widget shows. */
import type { BrowserContext, Page } from 'playwright-core';
import { describeInBrowser, expectAccessible } from '../support/browser';
import { ApiCaller, eventually, TEST_KEY, TEST_KEYS } from '../support/http';
import { EmbeddedPages } from '../support/pages';
import { freeForm, script } from '../support/scripts';

const BOB = { name: 'bob', key: 'bob-key-000000000000', workspace: 'acme' };

describeInBrowser('an answer that was stored', () => {
  let pages: EmbeddedPages;
  let bob: ApiCaller;
  beforeAll(async () => {
    pages = await EmbeddedPages.start({ app: { keys: [...TEST_KEYS, BOB] } });
    bob = new ApiCaller(pages.stack.api.url, BOB.key);
  });
  afterEach(() => pages.closePages());
  afterAll(() => pages?.stop());

  const field = (page: Page) => page.getByRole('textbox', { name: 'Your answer' });
  const send = (page: Page) => page.getByRole('button', { name: 'Send answer' });
  const stored = (page: Page) => page.locator('[part=queued]', { hasText: 'Your answer is stored.' }).waitFor();
  const refused = (page: Page) => page.locator('#summary', { hasText: 'The answer was not taken: bob has claimed it' });

  /** The keys of the answers that pages of a person send from here on. */
  function keysOf(context: BrowserContext): string[] {
    const keys: string[] = [];
    context.on('request', (request) => {
      if (request.url().endsWith('/resume')) keys.push(request.headers()['idempotency-key'] ?? '');
    });
    return keys;
  }

  /** Nobody is there to judge: bob's claim is stored, and behind it the answer of the page. */
  async function behindAClaim(): Promise<{ runId: string; page: Page; keys: string[] }> {
    const runId = await pages.paused(script([freeForm()]));
    const page = await pages.show(runId);
    const keys = keysOf(page.context());
    await field(page).fill('mine');
    await pages.stack.stopWorker();
    expect((await bob.call('POST', `/agents/${runId}/claim`, { ask_id: 'q1', for: '10m' })).status).toBe(202);
    await send(page).click();
    await stored(page);
    return { runId, page, keys };
  }

  /** A worker is back, and the run has refused the answer. */
  async function judged(runId: string): Promise<void> {
    await pages.stack.startWorker();
    const told = () => pages.stack.api.events(runId);
    await eventually(async () => (await told()).some(({ type }) => type === 'ask.rejected'));
  }

  test('refused by the run: the form is back with what was typed and says why, and it can be sent again', async () => {
    const { runId, page, keys } = await behindAClaim();
    await judged(runId);
    await refused(page).waitFor();
    expect(await field(page).inputValue()).toBe('mine');
    await expectAccessible(page, 'stored, then refused');
    expect(await pages.heard(page)).toMatchObject([
      { type: 'answered', detail: { ask_id: 'q1', queued: true } },
      { type: 'refused', detail: { run_id: runId, ask_id: 'q1', status: 409, error: 'claimed' } },
    ]);
    // Asked for under the same key: it was one answer all the time.
    expect(new Set(keys).size).toBe(1);
    await bob.call('POST', `/agents/${runId}/release`, { ask_id: 'q1' });
    await send(page).click();
    await page.getByText('Your answer was sent.').first().waitFor();
    expect(await pages.result(runId)).toEqual([{ answer: 'mine' }]);
  });

  test('refused while the page was away: it is told when it is opened again; another key sends nobody’s stored answer', async () => {
    const { runId, page, keys } = await behindAClaim();
    await page.reload();
    await stored(page);
    const address = page.url();
    await page.goto('about:blank');
    await judged(runId);

    const before = keys.length;
    const theirs = await page.context().newPage();
    await theirs.goto(address.replace(TEST_KEY, BOB.key));
    await field(theirs).waitFor();
    expect(keys).toHaveLength(before);
    await theirs.close();
    // It is back as a draft, which is sent under its first key: what became of that is told.
    await page.goto(address);
    await send(page).click();
    await refused(page).waitFor();
    expect(new Set(keys).size).toBe(1);
    expect(await field(page).inputValue()).toBe('mine');
  });

  test('after a reload the same person is told without doing anything', async () => {
    const { runId, page } = await behindAClaim();
    const address = page.url();
    await page.goto('about:blank');
    await judged(runId);
    await page.goto(address);
    await refused(page).waitFor();
    expect(await field(page).inputValue()).toBe('mine');
    expect((await pages.heard(page)).map(({ type, detail }) => [type, detail.status])).toEqual([['refused', 409]]);
  });
});
