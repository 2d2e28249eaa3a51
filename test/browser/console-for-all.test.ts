/** The console by keyboard, by axe, on a phone, at 400 % zoom, and without motion. */
import { describeInBrowser, expectAccessible, expectNoSidewaysScroll } from '../support/browser';
import { clerk } from '../support/clerk';
import { TEST_KEY } from '../support/http';
import { ConsolePages } from '../support/pages';
import { choice, delegate, freeForm, freeText, pick, script } from '../support/scripts';
import { untilChildren } from '../support/trees';

describeInBrowser('the console for everybody', () => {
  let pages: ConsolePages;
  beforeAll(async () => {
    pages = await ConsolePages.start({ agents: [clerk] });
  });
  afterEach(() => pages.closePages());
  afterAll(() => pages?.stop());

  test('all of it by keyboard: from the key to the answer', async () => {
    const runId = await pages.paused(script([choice('Left', 'Right')]));
    const { page } = await pages.blank();
    await page.goto(`${pages.stack.api.url}/`);
    const tabUntil = async (name: string) => {
      for (let presses = 0; presses < 30; presses += 1) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate<string>(`(() => {
          let node = document.activeElement;
          while (node.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
          return node.value && node.type === 'radio' ? node.parentElement.textContent.trim() : node.textContent.trim() || node.id;
        })()`);
        if (at.includes(name)) return;
      }
      throw new Error(`the Tab key does not lead to ${name}`);
    };
    await tabUntil('key');
    await page.keyboard.type(TEST_KEY);
    await page.keyboard.press('Enter');
    await page.locator('.rows a').first().waitFor();
    await tabUntil('Which one?');
    await page.keyboard.press('Enter');
    await page.getByRole('radio').first().waitFor();
    await tabUntil('Left');
    await page.keyboard.press('ArrowDown');
    await tabUntil('Send answer');
    await page.keyboard.press('Enter');
    await page.getByText('Your answer was sent.').first().waitFor();
    await pages.stack.api.untilEnded(runId);
    expect(await pages.stack.api.toolResults(runId)).toEqual([{ answer: 'Right', option_id: 'q1_o2' }]);
  });

  test.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)(
    'axe finds nothing on any page, %s, %i px wide, and nothing has to be scrolled sideways',
    async (colorScheme, width) => {
      const long = 'a-very-long-word-'.repeat(20);
      const root = await pages.paused(
        script([[delegate(script([choice(long, 'B')]), { background: true }), freeForm(`Is ${long} right?`)]]),
        { assignee: `${'x'.repeat(60)}@contoso.com` },
      );
      const [child = ''] = await untilChildren(pages.stack.api, root);
      await pages.stack.api.untilWaiting(child);
      const failed = await pages.stack.api.start(script([]), { run_id: `gone_${colorScheme}` });
      await pages.stack.api.untilEnded(failed.run_id);
      const page = await pages.open('/inbox', {
        colorScheme,
        viewport: { width, height: 720 },
        reducedMotion: 'reduce',
      });
      const look = async (state: string) => {
        await expectAccessible(page, `${state}, ${colorScheme}, ${width}`);
        await expectNoSidewaysScroll(page, state);
      };
      const visit = async (hash: string, sign: string) => {
        await page.goto(`${pages.stack.api.url}/#${hash}`);
        await page.getByText(sign).first().waitFor();
        await look(hash);
      };
      await page.locator('.rows a').first().waitFor();
      await look('inbox');
      await visit(`/inbox/${child}/q1`, 'Next question');
      await visit('/inbox?assignee=nobody', 'Nothing here fits the filter.');
      await visit('/runs', 'a sub-agent waits');
      await visit('/runs?assignee=nobody', 'No run fits this.');
      await visit(`/runs/${root}`, 'A sub-agent asks');
      await visit(`/runs/${root}/transcript`, 'calls');
      await visit(`/runs/${root}/details`, '"run_id"');
      await visit(`/runs/${failed.run_id}`, 'Result');
      await visit('/runs/run_00000000000000000000', 'there is no such run');
      await visit('/start', 'Start a run');
      await visit('/start?agent=clerk', 'What it is about.');
      await visit('/nowhere', 'There is no such page');
      await page.getByLabel('Account').click();
      await look('account');
      await pages.stack.api.resume(child, pick('q1_o2'));
      await pages.stack.api.call('POST', `/agents/${root}/cancel`);
      await pages.stack.api.untilEnded(root);
      await visit(`/runs/${root}`, 'Question q1 withdrawn');
      await page.locator('h1', { hasText: 'Cancelled' }).waitFor();
      await look('a cancelled run');
    },
  );

  test('a new question is announced politely, and takes the focus from nobody', async () => {
    const page = await pages.open('/runs');
    await page.getByLabel('Search').focus();
    const runId = await pages.paused(script([freeForm('Did you hear?')]));
    const told = page.locator('[aria-live]', { hasText: 'New question: Did you hear?' });
    await told.waitFor({ state: 'attached' });
    expect(await told.getAttribute('aria-live')).toBe('polite');
    expect(await page.evaluate('document.activeElement.name')).toBe('q');
    // In the widget too: its own live region says what became of the question.
    await page.goto(`${pages.stack.api.url}/#/runs/${runId}`);
    await page.getByRole('textbox', { name: 'Your answer' }).fill('half a thought');
    await pages.stack.api.resume(runId, freeText('I did'));
    const closed = page.locator('holdpoint-ask [aria-live]', { hasText: 'Answered by tester: I did' });
    await closed.waitFor({ state: 'attached' });
    expect(await closed.getAttribute('aria-live')).toBe('polite');
    // What was being written in is gone: the reader goes on at what became of the question.
    const focused = `document.activeElement.shadowRoot?.activeElement?.getAttribute('part')`;
    expect(await page.evaluate(focused)).toBe('closing');
  });

  test.each(['reduce', 'no-preference'] as const)('motion, when the system says %s', async (reducedMotion) => {
    const runId = await pages.paused(script([choice('A', 'B')]));
    const page = await pages.open(`/inbox/${runId}/q1`, { reducedMotion });
    await page.getByRole('radio').first().waitFor();
    const moving = await page.evaluate<number>(`(() => {
      const roots = [document, ...[...document.querySelectorAll('*')].map((node) => node.shadowRoot).filter(Boolean)];
      const nodes = roots.flatMap((root) => [...root.querySelectorAll('*')]);
      return nodes.map((node) => getComputedStyle(node)).filter((style) =>
        /[1-9]/.test(style.transitionDuration) || /[1-9]/.test(style.animationDuration)).length;
    })()`);
    if (reducedMotion === 'reduce') expect(moving).toBe(0);
    else expect(moving).toBeGreaterThan(3);
  });
});
