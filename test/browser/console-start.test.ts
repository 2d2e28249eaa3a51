/** The console's page that starts runs. */
import type { Page } from 'playwright-core';
import { describeInBrowser, expectAccessible } from '../support/browser';
import { clerk } from '../support/clerk';
import { ConsolePages } from '../support/pages';

describeInBrowser('starting a run in the console', () => {
  let pages: ConsolePages;
  beforeAll(async () => (pages = await ConsolePages.start({ agents: [clerk] })));
  afterEach(() => pages.closePages());
  afterAll(() => pages?.stop());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

  test('the form comes from the input schema, shows the server’s own issues, and starts once', async () => {
    const page = await pages.open('/start');
    await page.getByLabel('Agent').selectOption('clerk');
    await page.getByText('What it is about.').waitFor();
    await page.getByLabel('title', { exact: true }).fill('ab');
    await page.getByLabel('amount', { exact: true }).fill('0');
    await page.getByLabel('kind', { exact: true }).selectOption('receipt');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.locator('[id="field-title-error"]').waitFor();
    await page.locator('[id="field-amount-error"]').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('field-title');
    await expectAccessible(page, 'start refused');
    await page.getByLabel('title', { exact: true }).fill('An offer');
    await page.getByLabel('amount', { exact: true }).fill('12.5');
    await page.getByLabel('tags (optional)').fill('red\nblue');
    await page.getByLabel('address.city').fill('Turin');
    await page.getByLabel('Assignee (optional)').fill('sam@contoso.com');
    await page.getByLabel('When it needs a person').selectOption('auto');
    await page.getByRole('button', { name: 'Start' }).dblclick();
    await heading(page, 'clerk').waitFor();
    const { body } = await pages.stack.api.call<{ runs: { run_id: string; assignee: string; on_question: string }[] }>(
      'GET',
      '/agents?agent=clerk',
    );
    expect(body.runs).toHaveLength(1);
    expect(body.runs[0]).toMatchObject({ assignee: 'sam@contoso.com', on_question: 'auto' });
    const run = await pages.stack.api.untilEnded(body.runs[0]?.run_id ?? '');
    expect(JSON.parse((run.result as { text: string }).text)).toEqual({
      title: 'An offer',
      amount: 12.5,
      kind: 'receipt',
      tags: ['red', 'blue'],
      address: { city: 'Turin' },
    });
    await page.goBack();
    await heading(page, 'Start a run').waitFor();
    expect(await page.getByLabel('Agent').inputValue()).toBe('clerk');
  });

  test('what was filled in outlives a reload and another page, each agent’s for itself, until it was started', async () => {
    const page = await pages.open('/start?agent=clerk');
    const title = page.getByLabel('title', { exact: true });
    const kind = page.getByLabel('kind', { exact: true });
    const assignee = page.getByLabel('Assignee (optional)');
    const mode = page.getByLabel('When it needs a person');
    const values = () => Promise.all([title, kind, assignee, mode].map((field) => field.inputValue()));
    const kept = () => page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
    const receipt = await kind.locator('option', { hasText: 'receipt' }).getAttribute('value');
    const filled = ['An offer <b>"', receipt, 'kim@contoso.com', 'none'];
    await title.fill('An offer <b>"');
    await kind.selectOption('receipt');
    await assignee.fill('kim@contoso.com');
    await mode.selectOption('none');
    await page.reload();
    await title.waitFor();
    expect(await values()).toEqual(filled);
    await page.getByRole('link', { name: 'Inbox', exact: true }).click();
    await heading(page, 'Inbox').waitFor();
    await page.goBack();
    await title.waitFor();
    expect(await values()).toEqual(filled);
    await page.getByLabel('Agent').selectOption('scripted');
    await title.waitFor({ state: 'detached' });
    expect([await assignee.inputValue(), await mode.inputValue()]).toEqual(['', 'pause']);
    await page.getByLabel('Agent').selectOption('clerk');
    await title.waitFor();
    expect(await values()).toEqual(filled);

    // The reply is lost and the page is loaded anew: the same body is the same run.
    await page.getByLabel('amount', { exact: true }).fill('3');
    await page.getByLabel('address.city').fill('Turin');
    let first = '';
    await page.route('**/agents', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      first = ((await (await route.fetch()).json()) as { run_id: string }).run_id;
      return route.abort();
    });
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('The server cannot be reached. What you filled in is kept').waitFor();
    await page.unroute('**/agents');
    await page.reload();
    await page.getByRole('button', { name: 'Start' }).click();
    await heading(page, 'clerk').waitFor();
    expect(new URL(page.url()).hash).toBe(`#/runs/${first}`);
    expect(await kept()).not.toContain('An offer');
    await page.goBack();
    await title.waitFor();
    expect(await title.inputValue()).toBe('');

    await title.fill('Half an offer');
    expect(await kept()).toContain('Half an offer');
    await page.getByLabel('Account').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await kept()).not.toContain('Half an offer');
  });
});
