/** The console in a real Chromium, as people use it. */
import type { Page } from 'playwright-core';
import { describeInBrowser, expectAccessible } from '../support/browser';
import { eventually, TEST_KEY } from '../support/http';
import { ConsolePages } from '../support/pages';
import { choice, delegate, freeForm, freeText, script, sleep } from '../support/scripts';
import { untilChildren } from '../support/trees';

describeInBrowser('the console', () => {
  let pages: ConsolePages;
  beforeAll(async () => {
    pages = await ConsolePages.start({ app: { temporalUi: 'http://temporal.test:8233/' } });
  });
  afterEach(() => pages.closePages());
  afterAll(() => pages?.stop());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent.trim()');
  const rows = (page: Page) => page.locator('.rows .row-title').allInnerTexts();
  const untilRows = async (page: Page, expected: string[]) => {
    let shown: string[] = [];
    await eventually(async () => JSON.stringify((shown = await rows(page))) === JSON.stringify(expected), 15);
    expect(shown).toEqual(expected);
  };

  test('signing in: a wrong key is told so, the right one stays in this tab and nowhere else, signing out forgets it', async () => {
    const { page, watched } = await pages.blank();
    await page.goto(`${pages.stack.api.url}/`);
    await expectAccessible(page, 'sign in');
    await page.getByLabel('API key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('This is no valid key.').waitFor();
    await expectAccessible(page, 'sign in refused');
    await page.getByLabel('API key').fill(TEST_KEY);
    await page.keyboard.press('Enter');
    await heading(page, 'Inbox').waitFor();
    expect(await focused(page)).toBe('Inbox');
    await page.reload();
    await heading(page, 'Inbox').waitFor();
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(TEST_KEY);
    expect(watched.requested.filter((url) => url.includes(TEST_KEY))).toEqual([]);
    expect(watched.logged.filter((line) => line.includes(TEST_KEY))).toEqual([]);
    expect(page.url()).not.toContain(TEST_KEY);
    expect(await page.context().cookies()).toEqual([]);
    await page.getByLabel('Account').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(TEST_KEY);
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  test('the inbox is live: oldest first, counted in the title, filtered by an address that can be shared', async () => {
    const page = await pages.open();
    await page.getByText('Nothing waits for an answer.').waitFor();
    await expectAccessible(page, 'empty inbox');
    const first = await pages.paused(script([freeForm('First?')]), { assignee: 'sam@contoso.com' });
    await page.getByText('New question: First?').waitFor({ state: 'attached' });
    await pages.paused(script([choice('A', 'B')]), { assignee: 'kim@contoso.com' });
    await untilRows(page, ['First?', 'Which one?']);
    expect(await page.title()).toBe('(2) Inbox · Holdpoint');
    await page.getByLabel('Assignee').fill('kim@contoso.com');
    await untilRows(page, ['Which one?']);
    const shared = await pages.open(new URL(page.url()).hash.slice(1));
    await untilRows(shared, ['Which one?']);
    await page.getByLabel('Assignee').fill('nobody');
    await page.getByText('Nothing here fits the filter.').waitFor();
    await page.getByLabel('Assignee').fill('');
    await untilRows(page, ['First?', 'Which one?']);

    await page.getByRole('link', { name: /First\?/ }).click();
    expect(await focused(page)).toBe('Question from scripted');
    await page.getByRole('button', { name: 'Hold it for 15 minutes' }).click();
    await shared.getByLabel('Assignee').fill('');
    await shared.getByText('held by tester').waitFor();
    await page.getByRole('button', { name: 'Let go of it' }).click();
    await page.getByRole('textbox', { name: 'Your answer' }).fill('Certainly');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('Your answer was sent.').first().waitFor();
    await untilRows(page, ['Which one?']);
    await untilRows(shared, ['Which one?']);
    await page.getByRole('link', { name: 'Next question' }).click();
    await page.getByRole('radio', { name: 'A', exact: true }).check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('Nothing waits for an answer.').waitFor();
    await expect(page.title()).resolves.toBe('Inbox · Holdpoint');
    await page.goBack();
    await page.getByText('First?').first().waitFor();
    await page.goBack();
    expect(new URL(page.url()).hash).toMatch(/^#\/inbox(\?|$)/);
    expect(await pages.stack.api.toolResults(first)).toEqual([{ answer: 'Certainly' }]);
  });

  test('a conversation: its tree says who waits, a sub-agent’s ask is answered from the root’s page, all of it live', async () => {
    const below = script([choice('Lisbon', 'Turin'), [sleep(200)]], 'found it');
    const { run_id: root } = await pages.stack.api.start(
      script([delegate(below), freeForm('Anything else?')], 'all done'),
    );
    const [child = ''] = await untilChildren(pages.stack.api, root);
    await pages.stack.api.untilWaiting(child);
    const page = await pages.open(`/runs/${root}`);
    await page.getByText('Sub-agent scripted asks').waitFor();
    await page.getByRole('radio', { name: 'Turin' }).check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('Your answer was sent.').first().waitFor();
    expect(await pages.stack.api.toolResults(child, 'ask_a_human')).toEqual([{ answer: 'Turin', option_id: 'q1_o2' }]);
    // The root asks next; its question comes to the same page.
    await page.getByRole('textbox', { name: 'Your answer' }).fill('No, thank you');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    await page.locator('section', { hasText: 'Result' }).getByText('all done').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Completed');
    await page.locator('.tree').getByText(child).waitFor();
    await page.getByText('Answered by tester over http: No, thank you').waitFor();

    await page.getByRole('link', { name: 'Transcript' }).click();
    await page.locator('.transcript').getByText('delegate').first().waitFor();
    await page.locator('.transcript').getByText('"answer": "No, thank you"').waitFor();
    await page.getByRole('link', { name: 'Details' }).click();
    await page.getByText(`"run_id": "${root}"`).first().waitFor();
    await page.goBack();
    await page.locator('.transcript').waitFor();
    await page.locator('.tree').getByText(child).click();
    await page.getByText('found it').first().waitFor();
    expect(await page.getByRole('link', { name: 'Open in Temporal’s Web UI' }).getAttribute('href')).toBe(
      `http://temporal.test:8233/namespaces/default/workflows/${child}`,
    );
  });

  test('cancelling asks first, by keyboard, and withdraws the question', async () => {
    const runId = await pages.paused(script([freeForm('Still needed?')]));
    const page = await pages.open(`/runs/${runId}`);
    await page.getByRole('textbox', { name: 'Your answer' }).fill('half an answer');
    await page.getByRole('button', { name: 'Cancel run…' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page, 'cancel dialog');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Cancel run…' }).press('Enter');
    await page.getByRole('button', { name: 'Cancel the run' }).press('Enter');
    await page.getByText('The question was withdrawn: the run has ended.').first().waitFor();
    await page.locator('[part=unsent]', { hasText: 'half an answer' }).waitFor();
    await page.locator('h1', { hasText: 'Cancelled' }).waitFor();
    expect((await pages.stack.api.read(runId)).status).toBe('cancelled');
  });

  test('runs: filter, search, pages, live status', async () => {
    const assignee = 'list@contoso.com';
    const started = [];
    for (let nth = 0; nth < 30; nth += 1) started.push(await pages.stack.api.start(script([]), { assignee }));
    const waiting = await pages.paused(script([freeForm('Is this the needle?')]), { assignee });
    const page = await pages.open(`/runs?assignee=${assignee}`);
    await page.getByText(waiting).waitFor();
    expect(await page.locator('.rows > li').count()).toBe(25);
    await page.getByRole('button', { name: 'Show older runs' }).click();
    await page.getByText(started[0]?.run_id ?? '').waitFor();
    expect(await page.locator('.rows > li').count()).toBe(31);
    await page.getByLabel('Search').fill('needle');
    await eventually(async () => (await page.locator('.rows > li').count()) === 1, 15);
    await page.getByText('Is this the needle?').waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Status').selectOption('awaiting_input');
    await eventually(async () => (await page.locator('.rows > li').count()) === 1, 15);
    expect(new URL(page.url()).hash).toBe(`#/runs?status=awaiting_input&assignee=${encodeURIComponent(assignee)}`);
    await pages.stack.api.resume(waiting, freeText('yes'));
    await page.getByText('No run fits this.').waitFor();
    await page.getByLabel('Status').selectOption('');
    const row = page.locator('.rows > li', { hasText: waiting });
    await row.getByText('Completed').waitFor();
    await row.getByRole('link').click();
    await page.getByText('Answered by tester over http: yes').waitFor();
    await page.goBack();
    await heading(page, 'Runs').waitFor();
  });
});
