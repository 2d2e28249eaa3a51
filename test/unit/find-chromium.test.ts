/** Which browser the tests of pages take: `CHROMIUM_PATH`, then `chromium` on `PATH`, then Playwright's own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from '../support/chromium';

describe('the browser of the tests', () => {
  let folder: string;
  const file = (name: string) => path.join(folder, name);
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'holdpoint-'));
    for (const name of ['mine', 'chromium', 'playwrights']) writeFileSync(file(name), '');
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(() => jest.restoreAllMocks());

  test('each is taken only when those before it are not there', () => {
    const own = jest.spyOn(chromium, 'executablePath').mockImplementation(() => file('playwrights'));
    const PATH = ['/nowhere', folder].join(path.delimiter);
    expect(findChromium({ CHROMIUM_PATH: file('mine'), PATH })).toBe(file('mine'));
    expect(findChromium({ CHROMIUM_PATH: file('gone'), PATH })).toBe(file('chromium'));
    expect(findChromium({ PATH })).toBe(file('chromium'));
    expect(findChromium({ PATH: '/nowhere' })).toBe(file('playwrights'));
    own.mockImplementation(() => {
      throw new Error('none for this system');
    });
    expect(findChromium({})).toBeNull();
  });
});
