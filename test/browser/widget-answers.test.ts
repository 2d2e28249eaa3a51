/** `<holdpoint-ask>` in somebody else's page: every way to answer, and that an answer is one answer. */
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { eventually, TEST_KEY } from '../support/http';
import { EmbeddedPages } from '../support/pages';
import { choice, freeForm, pick, script, type Call } from '../support/scripts';

describeInBrowser('answering in the widget', () => {
  let pages: EmbeddedPages;
  beforeAll(async () => (pages = await EmbeddedPages.start()));
  afterEach(() => pages.closePages());
  afterAll(() => pages?.stop());

  const paused = (...turns: (Call | Call[])[]) => pages.paused(script(turns));
  const send = (page: Page) => page.getByRole('button', { name: 'Send answer' });

  test('an option: picked by keyboard alone, sent once by a double click, told to the page', async () => {
    const runId = await paused(choice('SMB', 'Enterprise'));
    const page = await pages.show(runId);
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
    expect(await pages.result(runId)).toEqual([{ answer: 'Enterprise', option_id: 'q1_o2' }]);
    expect(answers).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(await pages.heard(page)).toMatchObject([
      { type: 'answered', detail: { run_id: runId, ask_id: 'q1', answer: pick('q1_o2'), queued: false } },
      { type: 'closed', detail: { ask_id: 'q1', outcome: 'answered', here: true } },
    ]);
    // Where the reader goes on: what had the focus is gone.
    expect(await page.evaluate('ask.shadowRoot.activeElement?.textContent.trim()')).toBe('Your answer was sent.');
    // As it is drawn: nothing of the template’s own white space.
    expect(await page.locator('[part=closing]').innerText()).toBe('Your answer was sent.');
  });

  test('Other: its write-in is asked for, a blank one refused by the rules of the server, and sent whole', async () => {
    const runId = await paused(choice('A', 'B'));
    const page = await pages.show(runId);
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
    expect((await pages.heard(page)).every(({ type, detail }) => type === 'refused' && detail.status === null)).toBe(
      true,
    );
    expect((await pages.stack.api.read(runId)).status).toBe('awaiting_input');
    const text = 'line1\nline2 😀 "q" <b>bold</b>';
    await writeIn.fill(` ${text} `);
    await send(page).click();
    await page.getByText('Your answer was sent.').first().waitFor();
    expect(await pages.result(runId)).toEqual([{ answer: text, option_id: 'other' }]);
  });

  test('free form: characters are counted as the server does, 4001 are refused and kept, 4000 are taken', async () => {
    const runId = await paused(freeForm());
    const page = await pages.show(runId);
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
    expect(await pages.result(runId)).toEqual([{ answer: '😀'.repeat(4_000) }]);
  });

  test('decline, with a reason', async () => {
    const runId = await paused(choice('A', 'B'));
    const page = await pages.show(runId);
    await page.getByRole('button', { name: 'Decline to answer' }).click();
    expect(await page.evaluate('ask.shadowRoot.activeElement.id')).toBe('reason');
    await page.keyboard.type('not mine to say');
    await page.getByRole('button', { name: 'Decline', exact: true }).click();
    await page.getByText('You declined to answer.').first().waitFor();
    const declined = { skipped: true, reason: 'human_declined', message: 'not mine to say' };
    expect(await pages.result(runId)).toEqual([declined]);
    expect((await pages.heard(page))[1]).toMatchObject({ type: 'closed', detail: { outcome: 'declined', here: true } });
  });

  test('what was written outlives a reload, and goes when it was sent', async () => {
    const runId = await paused(choice('A', 'B'), freeForm('And then?'));
    const page = await pages.show(runId);
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
    const page = await pages.show(runId);
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
    expect((await pages.heard(page)).at(-1)).toMatchObject({
      type: 'refused',
      detail: { status: 422, error: 'invalid_input', issues: [{ path: 'input.text', code: 'blank' }] },
    });
    await field.fill('fine now');
    await send(page).click();
    await page.getByText('Your answer was sent.').first().waitFor();
    expect(await pages.result(runId)).toEqual([{ answer: 'fine now' }]);
  });

  test('two people race for one ask: one is taken, the other is told, and keeps what was typed', async () => {
    const runId = await paused(freeForm());
    const both = await Promise.all([pages.show(runId), pages.show(runId)]);
    await Promise.all(both.map((page, nth) => page.getByRole('textbox').fill(`answer ${nth}`)));
    await Promise.all(both.map((page) => send(page).click()));
    const outcomes = await Promise.all(
      both.map(async (page) => {
        await page.locator('[part=closing]').waitFor();
        return page.locator('[part=closing]').innerText();
      }),
    );
    const winner = outcomes.findIndex((text) => text.includes('Your answer was sent.'));
    expect(outcomes.filter((text) => text.includes('Your answer was sent.'))).toHaveLength(1);
    const loser = both[1 - winner] as Page;
    await loser.getByText(`Answered by tester: answer ${winner}`).first().waitFor();
    expect(await loser.locator('[part=unsent]').innerText()).toBe(`answer ${1 - winner}`);
    expect(await pages.result(runId)).toEqual([{ answer: `answer ${winner}` }]);
    const closed = (await pages.heard(loser)).filter(({ type }) => type === 'closed');
    expect(closed).toMatchObject([{ detail: { outcome: 'answered', here: false } }]);
    // Out of the way when its writer wants it to be.
    await loser.getByRole('button', { name: 'Discard it' }).click();
    await loser.locator('[part=unsent]').waitFor({ state: 'detached' });
  });

  test('the stream tells of an answer before its own reply is there: it is this answer still, and what is typed next stays', async () => {
    const runId = await paused(choice('A', 'B'), freeForm('And then?'));
    const page = await pages.show(runId);
    await page.evaluate(`
      ask.fetch = async (url, init) => {
        const reply = await fetch(url, init);
        if (String(url).endsWith('/resume')) await new Promise((resolve) => setTimeout(resolve, 2000));
        return reply;
      };
    `);
    await page.getByRole('radio', { name: 'A' }).check();
    await send(page).click();
    await page.getByText('And then?').first().waitFor();
    await page.getByRole('textbox').fill('typed at once');
    await eventually(async () => (await pages.heard(page)).length > 1, 10);
    expect((await pages.heard(page)).map(({ type, detail }) => [type, detail.ask_id, detail.here])).toEqual([
      ['answered', 'q1', undefined],
      ['closed', 'q1', true],
    ]);
    expect(await page.getByRole('textbox').inputValue()).toBe('typed at once');
  });
});
