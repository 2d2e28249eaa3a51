// `npm run histories:record`: records the history of each scenario that is not in test/histories yet. What is there is
// never recorded again: a kept history stands for the runs that are paused out there, started by older code.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isFresh } from './build.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = path.join(root, 'test', 'histories');
const require = createRequire(import.meta.url);

if (!isFresh()) await build();
const { scenarios } = await import('./histories/scenarios.mjs');
const { startRecording } = await import('./histories/stack.mjs');
const { historyToJSON } = require('@temporalio/common/lib/proto-utils');

mkdirSync(folder, { recursive: true });
const kept = readdirSync(folder);
const missing = Object.keys(scenarios).filter((name) => !kept.some((file) => file.startsWith(`${name}.`)));
if (missing.length === 0) console.log('every scenario has its history: nothing to record');
else {
  const { stack, stop } = await startRecording();
  try {
    for (const name of missing) await record(stack, name);
  } finally {
    await stop();
  }
}

async function record(stack, name) {
  for (const [part, run] of Object.entries(await scenarios[name](stack))) {
    const history = await stack.handle(...[run].flat()).fetchHistory();
    const file = path.join(folder, `${name}.${part}.json`);
    const text = `${JSON.stringify(withoutStacks(JSON.parse(historyToJSON(history))), null, 1)}\n`;
    checkAnonymous(text);
    if (existsSync(file)) throw new Error(`${file} is there already`);
    writeFileSync(file, text);
    console.log(`${name}.${part}: ${history.events.length} events`);
  }
}

/** Stack traces of failures name files of this machine, and replay does not look at them. */
function withoutStacks(value) {
  if (Array.isArray(value)) return value.map(withoutStacks);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, key === 'stackTrace' ? '' : withoutStacks(inner)]);
  return Object.fromEntries(entries);
}

/** Throws when a history, payloads included, tells where it was recorded. */
function checkAnonymous(text) {
  const payloads = [...text.matchAll(/"data": "([^"]+)"/g)].map(([, data]) => Buffer.from(data, 'base64').toString());
  const all = [text, ...payloads].join('\n');
  const told = [os.hostname(), root, os.homedir(), os.tmpdir()].filter((secret) => all.includes(secret));
  if (told.length > 0) throw new Error(`the history names ${told.join(' and ')}`);
}
