/** `<holdpoint-ask>` in somebody else's page: what it shows while others act, in which words, and to whom. */
import type { Page } from 'playwright-core';
import { describeInBrowser, expectAccessible, expectNoSidewaysScroll } from '../support/browser';
import { EmbeddedPages } from '../support/pages';
import { choice, decline, freeForm, freeText, pick, script, type Call } from '../support/scripts';

describeInBrowser('what the widget shows', () => {
  let pages: EmbeddedPages;
  beforeAll(async () => (pages = await EmbeddedPages.start()));
  afterEach(() => pages.closePages());
  afterAll(() => pages?.stop());

  const paused = (...turns: (Call | Call[])[]) => pages.paused(script(turns));
  const send = (page: Page) => page.getByRole('button', { name: 'Send answer' });

  test('an open question is shown as closed the moment somebody else closes it; the next one comes by itself', async () => {
    const runId = await paused(choice('A', 'B'), freeForm('Which quarter?'));
    const page = await pages.show(runId);
    await page.getByText('Which one?').first().waitFor();
    await pages.stack.api.resume(runId, pick('q1_o1'));
    await page.getByText('Which quarter?').first().waitFor();
    await page.getByRole('textbox').fill('Q3, I believe');
    await pages.stack.api.call('POST', `/agents/${runId}/cancel`);
    await page.getByText('The question was withdrawn: the run has ended.').first().waitFor();
    expect(await page.locator('[part=unsent]').innerText()).toBe('Q3, I believe');
    expect((await pages.heard(page)).map(({ type, detail }) => [type, detail.ask_id, detail.outcome])).toEqual([
      ['closed', 'q1', 'answered'],
      ['closed', 'q2', 'withdrawn'],
    ]);
  });

  test('with typed text the closed question stays, and leads to the next one', async () => {
    const runId = await paused(freeForm('First?'), freeForm('Second?'));
    const page = await pages.show(runId);
    await page.getByRole('textbox').fill('mine');
    await pages.stack.api.resume(runId, freeText('theirs'));
    await page.getByText('Answered by tester: theirs').first().waitFor();
    expect(await page.locator('[part=unsent]').innerText()).toBe('mine');
    await page.getByRole('button', { name: 'Show the next question' }).click();
    await page.getByText('Second?').first().waitFor();
    expect(await page.getByRole('textbox').inputValue()).toBe('');
    // A page that was told one ask stays with it, also long after.
    const other = await pages.show(runId, { ask: 'q1' });
    await other.getByText('Answered by tester: theirs').first().waitFor();
  });

  test('it says since when it waits, who may answer, and who holds it', async () => {
    const runId = await pages.paused(script([freeForm()]), { assignee: 'sam@contoso.com' });
    const before = await pages.show(runId);
    await before.getByText('For sam@contoso.com; anyone with access may answer').waitFor();
    const { asked_at } = (await pages.stack.api.read(runId)).pending_input_context ?? {};
    expect(await before.getByText(/^Asked /).getAttribute('datetime')).toBe(asked_at);
    await pages.stack.api.call('POST', `/agents/${runId}/claim`, { ask_id: 'q1' });
    const page = await pages.show(runId);
    await page.getByText(/^Held by tester until /).waitFor();
  });

  test('no key, a wrong run, a run that asks nothing: each says what it is', async () => {
    const runId = await paused(freeForm());
    await (
      await pages.show(runId, { key: 'wrong' })
    )
      .getByText('This page has no valid key for the question.')
      .waitFor();
    await (await pages.show('run_00000000000000000000')).getByText('There is no such run.').waitFor();
    await pages.stack.api.resume(runId, decline());
    await pages.stack.api.untilEnded(runId);
    await (await pages.show(runId)).getByText('This run has ended.').waitFor();
  });

  test('every string can be replaced, colours come from custom properties, and it works from right to left', async () => {
    const runId = await paused(choice('نعم', 'لا'));
    const page = await pages.show(runId, { dir: 'rtl' }, { reducedMotion: 'reduce' });
    await page.getByText('Which one?').first().waitFor();
    await page.evaluate(`import(new URLSearchParams(location.search).get('api') + '/holdpoint-ask.js').then(({ ENGLISH }) => {
      ask.strings = Object.fromEntries(Object.entries(ENGLISH).map(([name, text]) => [name, '§' + text]));
      ask.style.setProperty('--holdpoint-accent', 'rgb(1, 2, 3)');
    })`);
    await page.getByRole('button', { name: '§Send answer' }).waitFor();
    const words = await page.evaluate<string[]>(`
      [...ask.shadowRoot.querySelectorAll('button, label, summary, time, li, .error')].map((node) => node.textContent.trim())`);
    // Labels of options are the question's own.
    expect(words.filter((word) => !word.startsWith('§') && !['نعم', 'لا'].includes(word))).toEqual([]);
    const colour = `getComputedStyle(ask.shadowRoot.querySelector('[part=send]')).backgroundColor`;
    expect(await page.evaluate(colour)).toBe('rgb(1, 2, 3)');
    const radio = await page.getByRole('radio').first().boundingBox();
    const card = await page.locator('[part=card]').boundingBox();
    if (!radio || !card) throw new Error('nothing is drawn');
    // In a page that reads from right to left the button of an option is at its right.
    expect(radio.x - card.x).toBeGreaterThan(card.width / 2);
  });

  test.each(['light', 'dark'] as const)('axe finds nothing in any state, %s, at 320 px', async (colorScheme) => {
    const context = { colorScheme, viewport: { width: 320, height: 640 }, reducedMotion: 'reduce' as const };
    const runId = await paused({
      tool: 'ask_a_human',
      args: {
        kind: 'multiple_choice',
        question: `Which one of ${'these very long '.repeat(12)}?`,
        options: ['A', 'a'.repeat(300)],
        context:
          '# Head\n\ntext `code` [link](https://example.com)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quote\n\n```\nlong line '.concat(
            'x'.repeat(200),
            '\n```',
          ),
      },
    });
    const page = await pages.show(runId, {}, context);
    await page.getByRole('radio', { name: 'Other' }).click();
    await expectAccessible(page, 'open, Other chosen');
    await expectNoSidewaysScroll(page, 'open');
    await send(page).click();
    await page.locator('#other-text-error').waitFor();
    await expectAccessible(page, 'refused');
    await page.getByRole('button', { name: 'Decline to answer' }).click();
    await expectAccessible(page, 'declining');
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByLabel('Your own answer').fill('not sent');
    await pages.stack.api.resume(runId, pick('q1_o1'));
    await page.locator('[part=unsent]').waitFor();
    await expectAccessible(page, 'closed by somebody else');
    await expectNoSidewaysScroll(page, 'closed');
    expect((await pages.heard(page)).map(({ type }) => type)).toEqual(['refused', 'closed']);
  });
});
