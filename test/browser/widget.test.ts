/** `<holdpoint-ask>` in somebody else's page: another origin, a strict content security policy, a real Chromium. */
import type { Browser, Page } from 'playwright-core';
import {
  describeInBrowser,
  expectAccessible,
  expectNoSidewaysScroll,
  openBrowser,
  openPage,
  type Watched,
} from '../support/browser';
import { startHostPage, type HostPage } from '../support/host-page';
import { TEST_KEY } from '../support/http';
import { choice, decline, freeForm, freeText, pick, script, type Call } from '../support/scripts';
import { TestStack } from '../support/stack';

interface Heard {
  type: 'answered' | 'refused' | 'closed';
  detail: {
    ask_id: string;
    outcome?: string;
    here?: boolean;
    status?: number | null;
    issues?: { path: string; code: string }[];
  };
}

describeInBrowser('the widget', () => {
  let stack: TestStack;
  let browser: Browser;
  let host: HostPage;
  let opened: Watched[] = [];

  beforeAll(async () => {
    host = await startHostPage();
    [stack, browser] = await Promise.all([TestStack.start({ app: { corsOrigins: [host.origin] } }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await host?.close();
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    expect(opened.flatMap(({ errors }) => errors)).toEqual([]);
    opened = [];
  });

  async function paused(...turns: (Call | Call[])[]): Promise<string> {
    const { run_id } = await stack.api.start(script(turns));
    await stack.api.untilWaiting(run_id);
    return run_id;
  }

  /** A person of their own who looks at a run. */
  async function show(runId: string, more: Record<string, string> = {}, options = {}): Promise<Page> {
    const { page, watched } = await openPage(browser, options);
    opened.push(watched);
    await page.goto(host.urlOf({ api: stack.api.url, runId }, { key: TEST_KEY, ...more }));
    return page;
  }

  const heard = (page: Page) => page.evaluate<Heard[]>('window.heard');
  const heardTypes = async (page: Page) => (await heard(page)).map(({ type }) => type);
  const send = (page: Page) => page.getByRole('button', { name: 'Send answer' });
  const result = async (runId: string) =>
    (await stack.api.untilEnded(runId)) && stack.api.toolResults(runId, 'ask_a_human');

  test('an option: picked by keyboard alone, sent once by a double click, told to the page', async () => {
    const runId = await paused(choice('SMB', 'Enterprise'));
    const page = await show(runId);
    await page.getByRole('radio', { name: 'SMB' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: 'Enterprise' }).isChecked()).toBe(true);
    const answers: string[] = [];
    page.on(
      'request',
      (request) => request.url().endsWith('/resume') && answers.push(request.headers()['idempotency-key'] ?? ''),
    );
    await send(page).dblclick();
    await page.getByText('Your answer was sent.').first().waitFor();
    expect(await result(runId)).toEqual([{ answer: 'Enterprise', option_id: 'q1_o2' }]);
    expect(answers).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(await heard(page)).toMatchObject([
      { type: 'answered', detail: { run_id: runId, ask_id: 'q1', answer: pick('q1_o2'), queued: false } },
      { type: 'closed', detail: { ask_id: 'q1', outcome: 'answered', here: true } },
    ]);
    // Where the reader goes on: what had the focus is gone.
    expect(await page.evaluate('ask.shadowRoot.activeElement?.textContent.trim()')).toBe('Your answer was sent.');
  });

  test('Other: its write-in is asked for, a blank one refused by the rules of the server, and sent whole', async () => {
    const runId = await paused(choice('A', 'B'));
    const page = await show(runId);
    await send(page).click();
    await page.locator('#option-error', { hasText: 'choose one of the options' }).waitFor();
    await page.getByRole('radio', { name: 'Other' }).click();
    const writeIn = page.getByLabel('Your own answer');
    for (const blank of ['', '  \n\t', '\u3000', '\u200b\u2800']) {
      await writeIn.fill(blank);
      await send(page).click();
      await page.locator('#other-text-error', { hasText: 'must not be blank' }).waitFor();
      expect(await writeIn.getAttribute('aria-invalid')).toBe('true');
      expect(await page.evaluate('ask.shadowRoot.activeElement.id')).toBe('other-text');
    }
    expect((await heard(page)).every(({ type, detail }) => type === 'refused' && detail.status === null)).toBe(true);
    expect((await stack.api.read(runId)).status).toBe('awaiting_input');
    const text = 'line1\nline2 😀 "q" <b>bold</b>';
    await writeIn.fill(` ${text} `);
    await send(page).click();
    await page.getByText('Your answer was sent.').first().waitFor();
    expect(await result(runId)).toEqual([{ answer: text, option_id: 'other' }]);
  });

  test('free form: characters are counted as the server does, 4001 are refused and kept, 4000 are taken', async () => {
    const runId = await paused(freeForm());
    const page = await show(runId);
    const field = page.getByLabel('Your answer', { exact: true }).and(page.getByRole('textbox'));
    await field.fill('😀'.repeat(4_001));
    await page.getByText('Too long by 1 characters').waitFor();
    await send(page).click();
    await page.locator('#free-text-error', { hasText: 'must be at most 4000 characters' }).waitFor();
    expect(await field.inputValue()).toBe('😀'.repeat(4_001));
    await field.fill('😀'.repeat(4_000));
    await page.getByText('Characters left: 0').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Your answer was sent.').first().waitFor();
    expect(await result(runId)).toEqual([{ answer: '😀'.repeat(4_000) }]);
  });

  test('decline, with a reason', async () => {
    const runId = await paused(choice('A', 'B'));
    const page = await show(runId);
    await page.getByRole('button', { name: 'Decline to answer' }).click();
    expect(await page.evaluate('ask.shadowRoot.activeElement.id')).toBe('reason');
    await page.keyboard.type('not mine to say');
    await page.getByRole('button', { name: 'Decline', exact: true }).click();
    await page.getByText('You declined to answer.').first().waitFor();
    const declined = { skipped: true, reason: 'human_declined', message: 'not mine to say' };
    expect(await result(runId)).toEqual([declined]);
    expect((await heard(page))[1]).toMatchObject({ type: 'closed', detail: { outcome: 'declined', here: true } });
  });

  test('what was written outlives a reload, and goes when it was sent', async () => {
    const runId = await paused(choice('A', 'B'), freeForm('And then?'));
    const page = await show(runId);
    await page.getByRole('radio', { name: 'Other' }).click();
    await page.getByLabel('Your own answer').fill('half a thought');
    await page.reload();
    expect(await page.getByRole('radio', { name: 'Other' }).isChecked()).toBe(true);
    expect(await page.getByLabel('Your own answer').inputValue()).toBe('half a thought');
    await send(page).click();
    await page.getByText('And then?').first().waitFor();
    const stored = await page.evaluate<string>('JSON.stringify({ ...localStorage })');
    expect(stored).not.toContain('half a thought');
    expect(stored).not.toContain(TEST_KEY);
  });

  test('the server’s own field errors are shown beside their fields, and nothing is lost', async () => {
    const runId = await paused(freeForm());
    const page = await show(runId);
    // A fetch function of the page's own, which spoils what is sent: the verdict on it is the real server's.
    await page.evaluate(`
      const spoilt = (body) => body.replace('"free_form","text":"fine"', '"free_form","text":"\\\\u200b"');
      ask.fetch = (url, init) => fetch(url, init?.body ? { ...init, body: spoilt(init.body) } : init);
    `);
    const field = page.getByRole('textbox');
    await field.fill('fine');
    await send(page).click();
    await page.locator('#free-text-error', { hasText: 'must not be blank' }).waitFor();
    expect(await field.inputValue()).toBe('fine');
    expect((await heard(page)).at(-1)).toMatchObject({
      type: 'refused',
      detail: { status: 422, error: 'invalid_input', issues: [{ path: 'input.text', code: 'blank' }] },
    });
    await field.fill('fine now');
    await send(page).click();
    await page.getByText('Your answer was sent.').first().waitFor();
    expect(await result(runId)).toEqual([{ answer: 'fine now' }]);
  });

  test('two people race for one ask: one is taken, the other is told, and keeps what was typed', async () => {
    const runId = await paused(freeForm());
    const pages = await Promise.all([show(runId), show(runId)]);
    await Promise.all(pages.map((page, nth) => page.getByRole('textbox').fill(`answer ${nth}`)));
    await Promise.all(pages.map((page) => send(page).click()));
    const outcomes = await Promise.all(
      pages.map(async (page) => {
        await page.locator('[part=closing]').waitFor();
        return page.locator('[part=closing]').innerText();
      }),
    );
    const winner = outcomes.findIndex((text) => text.includes('Your answer was sent.'));
    expect(outcomes.filter((text) => text.includes('Your answer was sent.'))).toHaveLength(1);
    const loser = pages[1 - winner] as Page;
    await loser.getByText(`Answered by tester: answer ${winner}`).first().waitFor();
    expect(await loser.locator('[part=unsent]').innerText()).toBe(`answer ${1 - winner}`);
    expect(await result(runId)).toEqual([{ answer: `answer ${winner}` }]);
    const closed = (await heard(loser)).filter(({ type }) => type === 'closed');
    expect(closed).toMatchObject([{ detail: { outcome: 'answered', here: false } }]);
    // Out of the way when its writer wants it to be.
    await loser.getByRole('button', { name: 'Discard it' }).click();
    await loser.locator('[part=unsent]').waitFor({ state: 'detached' });
  });

  test('an open question is shown as closed the moment somebody else closes it; the next one comes by itself', async () => {
    const runId = await paused(choice('A', 'B'), freeForm('Which quarter?'));
    const page = await show(runId);
    await page.getByText('Which one?').first().waitFor();
    await stack.api.resume(runId, pick('q1_o1'));
    await page.getByText('Which quarter?').first().waitFor();
    await page.getByRole('textbox').fill('Q3, I believe');
    await stack.api.call('POST', `/agents/${runId}/cancel`);
    await page.getByText('The question was withdrawn: the run has ended.').first().waitFor();
    expect(await page.locator('[part=unsent]').innerText()).toBe('Q3, I believe');
    expect((await heard(page)).map(({ type, detail }) => [type, detail.ask_id, detail.outcome])).toEqual([
      ['closed', 'q1', 'answered'],
      ['closed', 'q2', 'withdrawn'],
    ]);
  });

  test('with typed text the closed question stays, and leads to the next one', async () => {
    const runId = await paused(freeForm('First?'), freeForm('Second?'));
    const page = await show(runId);
    await page.getByRole('textbox').fill('mine');
    await stack.api.resume(runId, freeText('theirs'));
    await page.getByText('Answered by tester: theirs').first().waitFor();
    expect(await page.locator('[part=unsent]').innerText()).toBe('mine');
    await page.getByRole('button', { name: 'Show the next question' }).click();
    await page.getByText('Second?').first().waitFor();
    expect(await page.getByRole('textbox').inputValue()).toBe('');
    // A page that was told one ask stays with it, also long after.
    const other = await show(runId, { ask: 'q1' });
    await other.getByText('Answered by tester: theirs').first().waitFor();
  });

  test('a question that somebody holds says so; holding it keeps others out', async () => {
    const runId = await paused(freeForm());
    await stack.api.call('POST', `/agents/${runId}/claim`, { ask_id: 'q1' });
    const page = await show(runId);
    await page.getByText(/^Held by tester until /).waitFor();
  });

  test('no key, a wrong run, a run that asks nothing: each says what it is', async () => {
    const runId = await paused(freeForm());
    await (await show(runId, { key: 'wrong' })).getByText('This page has no valid key for the question.').waitFor();
    await (await show('run_00000000000000000000')).getByText('There is no such run.').waitFor();
    await stack.api.resume(runId, decline());
    await stack.api.untilEnded(runId);
    await (await show(runId)).getByText('This run has ended.').waitFor();
  });

  test('every string can be replaced, colours come from custom properties, and it works from right to left', async () => {
    const runId = await paused(choice('نعم', 'لا'));
    const page = await show(runId, { dir: 'rtl' }, { reducedMotion: 'reduce' });
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
    const page = await show(runId, {}, context);
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
    await stack.api.resume(runId, pick('q1_o1'));
    await page.locator('[part=unsent]').waitFor();
    await expectAccessible(page, 'closed by somebody else');
    await expectNoSidewaysScroll(page, 'closed');
    expect(await heardTypes(page)).toEqual(['refused', 'closed']);
  });
});
