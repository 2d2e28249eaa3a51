// Compiles the sources into dist/ and prebuilds the workflow bundle. `--force` builds even when dist is fresh;
// `--if-possible` (npm's `prepare`) does nothing where there are no sources or no compiler, as in an installed tarball.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.mjs';
import { lock } from './lock.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');
const stamp = path.join(dist, '.built');
const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const bundleWriter = path.join(dist, 'worker', 'bundle.js');
const bundle = path.join(dist, 'workflow-bundle.js');
const sourceFolders = ['workflows', 'activities', 'worker', 'api', 'client', 'cli', 'examples'];
/** What goes into the page: its own folder, and the rules it shares with the server. */
const consoleFolders = ['console', 'client', path.join('workflows', 'contract')];
const consoleStamp = path.join(dist, 'console', '.built');

const mtime = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Newest time under a folder, the folders' own times included, so that a removed file counts as a change too. */
function newestUnder(folder, suffix) {
  if (!existsSync(folder)) return 0;
  let newest = mtime(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) newest = Math.max(newest, newestUnder(file, suffix));
    else if (entry.name.endsWith(suffix)) newest = Math.max(newest, mtime(file));
  }
  return newest;
}

/** True when dist was built after the last change of any source, the lock file of npm or a tsconfig. */
export function isFresh() {
  const built = mtime(stamp);
  if (built === 0) return false;
  const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) =>
    mtime(path.join(root, name)),
  );
  const newest = Math.max(...settings, ...sourceFolders.map((name) => newestUnder(path.join(root, name), '.ts')));
  return newest < built && isConsoleFresh();
}

/** True when the page was built after the last change of anything that goes into it. */
function isConsoleFresh() {
  if (!existsSync(path.join(root, 'console'))) return true;
  const inputs = [
    ...consoleFolders.map((name) => newestUnder(path.join(root, name), '')),
    mtime(path.join(root, 'scripts', 'build-console.mjs')),
    mtime(path.join(root, 'package-lock.json')),
  ];
  return Math.max(...inputs) < mtime(consoleStamp);
}

/** Vite takes seconds, so only when something changed. */
async function bundleConsole(force) {
  if (!force && isConsoleFresh()) return;
  const startedAt = new Date();
  await buildConsole(root);
  if (!existsSync(path.dirname(consoleStamp))) return;
  writeFileSync(consoleStamp, '');
  utimesSync(consoleStamp, startedAt, startedAt);
}

/** Runs a Node program, and takes it along when we are told to stop: half a build must not go on beside the next one. */
async function runNode(args, failure) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  let stoppedBy;
  const stop = (signal) => {
    stoppedBy = signal;
    child.kill('SIGTERM');
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, stop);
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
  for (const signal of signals) process.off(signal, stop);
  if (stoppedBy) throw new Error(`build stopped by ${stoppedBy}`);
  if (code !== 0) throw new Error(failure);
}

/** Removes outputs whose source is gone: a deleted or renamed file must not live on in dist. */
function pruneOutputs(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      pruneOutputs(file);
      continue;
    }
    const source = path.join(root, path.relative(dist, file).replace(/(\.d\.ts|\.js|\.js\.map)$/, '.ts'));
    if (!existsSync(source)) rmSync(file);
  }
}

async function compile() {
  await runNode([compiler, '-p', 'tsconfig.build.json'], 'build failed: see the type errors above');
  for (const name of sourceFolders) pruneOutputs(path.join(dist, name));
}

/** Webpack takes seconds, so only when something that goes into the bundle, or makes it, was emitted anew. */
async function bundleWorkflows(force) {
  if (!existsSync(bundleWriter)) return;
  const inputs = [
    newestUnder(path.join(dist, 'workflows'), '.js'),
    newestUnder(path.join(dist, 'worker'), '.js'),
    mtime(path.join(root, 'package-lock.json')),
  ];
  if (!force && mtime(bundle) > Math.max(...inputs)) return;
  const program = `require(${JSON.stringify(bundleWriter)}).writeWorkflowBundle().catch((error) => { console.error(error); process.exit(1); })`;
  await runNode(['-e', program], 'build failed: the workflow bundle could not be made');
}

/**
 * Brings dist up to date. Safe when several processes call it at once (the others wait, then find dist fresh), and it rewrites
 * only what changed, so that a process that runs from dist is left alone.
 */
export async function build({ force = false } = {}) {
  if (!existsSync(compiler)) throw new Error('build needs the development dependencies: run npm ci');
  mkdirSync(dist, { recursive: true });
  const unlock = await lock(path.join(dist, '.build-lock'));
  try {
    if (!force && isFresh()) return;
    // The stamp carries the time the build began: a source saved while it ran makes the next build.
    const startedAt = new Date();
    await compile();
    await bundleWorkflows(force);
    await bundleConsole(force);
    writeFileSync(stamp, '');
    utimesSync(stamp, startedAt, startedAt);
  } finally {
    unlock();
  }
}

/** True where a build makes sense at all. */
const isPossible = () =>
  existsSync(compiler) && sourceFolders.some((name) => newestUnder(path.join(root, name), '.ts') > 0);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--if-possible') || isPossible()) {
    try {
      await build({ force: process.argv.includes('--force') });
    } catch (error) {
      console.error(error.message);
      process.exitCode = 1;
    }
  }
}
