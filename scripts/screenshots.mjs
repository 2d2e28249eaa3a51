// `npm run screenshots [-- --out=folder]`: the console as it is, page by page, light and dark, wide and 320 px, against the real
// stack (`holdpoint dev` on a data folder of its own, with the example agents that come with it). Written to be looked at.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build } from './build.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const { findChromium, LAUNCH_ARGS } = require('../test/support/chromium.js');

const out = path.resolve(
  process.argv.find((arg) => arg.startsWith('--out='))?.slice(6) ?? path.join(root, 'screenshots'),
);
const SCHEMES = ['light', 'dark'];
const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 320, height: 640 } };
const START_MS = 120_000;

async function main() {
  const executablePath = findChromium();
  if (!executablePath)
    throw new Error('no Chromium: set CHROMIUM_PATH, or install it (Debian: apt-get install chromium)');
  await build();
  mkdirSync(out, { recursive: true });
  const closing = [];
  try {
    const stack = await startStack(closing);
    const runs = await startRuns(stack);
    const browser = await chromium.launch({ executablePath, args: LAUNCH_ARGS });
    closing.unshift(() => browser.close());
    for (const colorScheme of SCHEMES) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        const page = await browser.newPage({ colorScheme, viewport, reducedMotion: 'reduce' });
        await takeAll(page, stack, runs, (name) => path.join(out, `${name}-${size}-${colorScheme}.png`));
        await page.context().close();
      }
    }
    console.log(`written to ${path.relative(process.cwd(), out) || '.'}`);
  } finally {
    for (const close of closing) await close();
  }
}

/** `npm start`, as it comes; where it is and its key. */
async function startStack(closing) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'holdpoint-screenshots-'));
  closing.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const { PATH, HOME, TEMPORAL_CLI_PATH } = process.env;
  const env = {
    PATH,
    HOME,
    PORT: '0',
    HOLDPOINT_DATA_DIR: dataDir,
    ...(TEMPORAL_CLI_PATH ? { TEMPORAL_CLI_PATH } : {}),
  };
  const child = spawn(process.execPath, [path.join(root, 'dist', 'cli', 'main.js'), 'dev'], { env });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  closing.unshift(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += data));
  const find = (pattern) => pattern.exec(printed)?.[1];
  const is = () => find(/^ +API key +(\S+)/m) !== undefined || child.exitCode !== null;
  await until(is, 'holdpoint dev is up');
  const [url, key] = [find(/^ +Console +(http\S+?)\/?$/m), find(/^ +API key +(\S+)/m)];
  if (!url || !key) throw new Error(`holdpoint dev did not start: ${printed}`);
  return { url, key };
}

async function until(isSo, what) {
  for (const end = Date.now() + START_MS; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 200))) {
    if (await isSo()) return;
  }
  throw new Error(`never so: ${what}`);
}

/** Runs of the example agents, some that wait, some that have ended. */
async function startRuns({ url, key }) {
  const call = async (method, place, body) => {
    const headers = { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    const response = await fetch(`${url}/api/platform/v1${place}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    const reply = await response.json();
    if (!response.ok) throw new Error(`${method} ${place}: ${JSON.stringify(reply)}`);
    return reply;
  };
  const start = async (agent, input, more = {}) => (await call('POST', '/agents', { agent, input, ...more })).run_id;
  const asks = (id) => call('GET', `/agents/${id}/asks`).then((reply) => reply.asks);
  const waits = (id, count = 1) => until(async () => (await asks(id)).length >= count, `${id} asks`);
  const ended = (id) => until(async () => (await call('GET', `/agents/${id}`)).ended_at !== null, `${id} ended`);
  const answer = (ask, input) => call('POST', `/agents/${ask.run_id}/resume`, { input });

  // One that has ended: a planner whose two questions were answered.
  const done = await start('offsite-planner', { team: 'Platform' });
  await waits(done, 2);
  for (const ask of await asks(done)) {
    const free = { kind: 'free_form', text: '12 people' };
    await answer(
      ask,
      ask.kind === 'free_form' ? free : { kind: 'multiple_choice', option_id: 'other', other_text: 'Porto' },
    );
  }
  await ended(done);
  const cancelled = await start('invoice-approver', { invoice: 'INV-1042' }, { assignee: 'kim@contoso.com' });
  await waits(cancelled);
  await call('POST', `/agents/${cancelled}/cancel`);
  await ended(cancelled);

  const invoice = await start('invoice-approver', { invoice: 'INV-1042' }, { assignee: 'sam@contoso.com' });
  await waits(invoice);
  const release = await start('release-manager', { version: '4.2.0' });
  await waits(release);
  const paused = await start('offsite-planner', { team: 'Research' }, { assignee: 'lee@contoso.com' });
  await waits(paused, 2);
  const scout = (await asks(paused)).find((ask) => ask.run_id !== paused);
  await until(async () => (await call('GET', '/inbox')).count === 4, 'four questions wait');
  await until(async () => (await call('GET', '/agents')).runs.length >= 9, 'all runs are listed');
  return { done, cancelled, invoice, release, paused, scout };
}

/** Every page, in one window of one person. */
async function takeAll(page, { url, key }, runs, fileOf) {
  const { width, height } = page.viewportSize();
  const take = async (name) => {
    // The whole page at once: what is out of sight is not drawn. And the mouse rests on nothing.
    const whole = await page.evaluate('document.documentElement.scrollHeight');
    await page.setViewportSize({ width, height: Math.max(height, whole) });
    await page.mouse.move(0, 0);
    await page.waitForTimeout(300);
    await page.screenshot({ path: fileOf(name), fullPage: true });
    await page.setViewportSize({ width, height });
  };
  const visit = async (name, hash, sign, then = async () => undefined) => {
    await page.goto(`${url}/#${hash}`);
    await page.locator(sign).first().waitFor();
    await then();
    await take(name);
  };
  await page.goto(`${url}/`);
  await page.getByLabel('API key').waitFor();
  await take('sign-in');
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.locator('.rows a').nth(3).waitFor();
  await take('inbox');
  const { scout, release, invoice, paused, done, cancelled } = runs;
  await visit('inbox-question', `/inbox/${scout.run_id}/${scout.ask_id}`, 'input[type=radio]');
  await visit('inbox-other', `/inbox/${invoice}/q1`, 'input[type=radio]', async () => {
    await page.getByRole('radio', { name: 'Other' }).click();
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.locator('.error').first().waitFor();
  });
  await visit('runs', '/runs', '.rows a');
  await visit('run-paused', `/runs/${paused}`, '.tree', () => page.locator('holdpoint-ask form').waitFor());
  await visit('run-question', `/runs/${release}`, 'holdpoint-ask form');
  await visit('run-transcript', `/runs/${done}/transcript`, '.transcript li');
  await visit('run-ended', `/runs/${done}`, '.timeline li');
  await visit('run-cancelled', `/runs/${cancelled}`, '.timeline li');
  await visit('start', '/start?agent=invoice-approver', '#mode');
  await visit('empty', '/inbox?assignee=nobody', '.empty');
}

await main();
