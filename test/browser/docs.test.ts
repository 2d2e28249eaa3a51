/** The page printed in docs/console.md, in a real Chromium. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { describeInBrowser, openBrowser, openPage } from '../support/browser';
import { TEST_KEY } from '../support/http';
import { freeForm, script } from '../support/scripts';
import { snippetWith } from '../support/snippets';
import { TestStack } from '../support/stack';

describeInBrowser('the page of docs/console.md', () => {
  let stack: TestStack;
  let browser: Browser;
  let page: http.Server;
  let html = '';
  let origin: string;

  beforeAll(async () => {
    page = http.createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
    });
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
    [stack, browser] = await Promise.all([TestStack.start({ app: { corsOrigins: [origin] } }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await new Promise((resolve) => page?.close(resolve));
  });

  test('shows the question, takes the answer, and tells the page', async () => {
    const { run_id } = await stack.api.start(script([freeForm('Which quarter?')]));
    await stack.api.untilWaiting(run_id);
    const printed = snippetWith('docs/console.md', 'html', '<holdpoint-ask');
    const here = printed.replaceAll('https://holdpoint.example.com', stack.api.url).replaceAll('offsite-1', run_id);
    html = `<!doctype html><script>const keyOfThisUser = () => ${JSON.stringify(TEST_KEY)}</script>${here}`;

    const opened = await openPage(browser);
    await opened.page.goto(origin);
    await opened.page.getByText('Which quarter?', { exact: true }).waitFor();
    await opened.page.getByRole('textbox', { name: 'Your answer' }).fill('the third');
    await opened.page.getByRole('button', { name: 'Send answer' }).click();
    await opened.page.getByText('Your answer was sent.').first().waitFor({ state: 'attached' });

    await stack.api.untilEnded(run_id);
    expect(await stack.api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: 'the third' }]);
    expect(opened.watched.logged).toContain('taken q1');
    expect(opened.watched.errors).toEqual([]);
  });
});
