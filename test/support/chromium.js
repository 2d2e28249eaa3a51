/** Where a real Chromium is: for tests of pages, and for `npm run screenshots`, which is no TypeScript. */
'use strict';
const { existsSync } = require('node:fs');
const path = require('node:path');
const { chromium } = require('playwright-core');

/** Chromium of `CHROMIUM_PATH`, `chromium` on `PATH`, or the one that Playwright has fetched; null when there is none. */
function findChromium(env = process.env) {
  const onPath = (env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'chromium'));
  const own = () => {
    try {
      return chromium.executablePath();
    } catch {
      return '';
    }
  };
  const found = [env.CHROMIUM_PATH ?? '', ...onPath, own()].find((file) => file !== '' && existsSync(file));
  return found ?? null;
}

/** How it is started: quiet, and without the sandbox where Chromium's does not work, which is for root in a container. */
const LAUNCH_ARGS = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
];

module.exports = { findChromium, LAUNCH_ARGS };
