// The processes of a bench run: one Temporal server as `npm start` starts it, and on it Holdpoint and the bare workflow.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { startModelServer } from './model-server.mjs';

const require = createRequire(import.meta.url);
const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '..', '..');
const { startDevServer } = require(path.join(root, 'dist/cli/dev-server.js'));
const { resolveTemporalCli } = require(path.join(root, 'dist/cli/temporal-cli.js'));
const { SEARCH_ATTRIBUTES } = require(path.join(root, 'dist/workflows/contract'));

const KEY = 'bench-key-0000000000';

/** Starts everything; `stop()` ends it. `serverArgs` are added to the Temporal server's own. */
export async function startStack({ serverArgs = [] } = {}) {
  const cli = await resolveTemporalCli({ log: (line) => console.error(line) });
  const dataDir = mkdtempSync(path.join(tmpdir(), 'holdpoint-bench-'));
  const server = await startDevServer({
    cliPath: cli.path,
    dataDir,
    searchAttributes: SEARCH_ATTRIBUTES,
    extraArgs: ['--headless', ...serverArgs],
  });
  const models = await startModelServer();
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TEMPORAL_ADDRESS: server.address,
    HOLDPOINT_SCRIPTED: '1',
    HOLDPOINT_AGENTS: path.join(here, 'agents'),
    HOLDPOINT_MODEL_BASE_URL: models.url,
    HOLDPOINT_RATE_LIMIT: '1000000',
    HOLDPOINT_MAX_CACHED_WORKFLOWS: '10000',
    LOG_LEVEL: 'warn',
    HOLDPOINT_API_KEYS: JSON.stringify([{ name: 'bench', key: KEY, workspace: 'bench' }]),
    PORT: '0',
  };
  const main = path.join(root, 'dist/cli/main.js');
  const worker = await program([main, 'worker'], env, /worker: polling/);
  const api = await program([main, 'api'], env, /api: listening on ([^\s,]+)/);
  const bare = await program([path.join(here, 'bare-worker.mjs')], env, /bare worker: polling/);
  const client = new Client({ connection: await Connection.connect({ address: server.address }) });
  return {
    client,
    dataDir,
    base: `${api.match[1]}/api/platform/v1`,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    workerMemory: () => residentBytes(worker.child.pid),
    apiMemory: () => residentBytes(api.child.pid),
    async stop() {
      await client.connection.close();
      for (const { child } of [worker, api, bare]) child.kill('SIGKILL');
      await server.stop();
      models.stop();
    },
  };
}

function program(args, env, ready) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (data) => {
      printed += data;
      const match = ready.exec(printed);
      if (match) resolve({ child, match });
    });
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  });
}

/** Resident memory of a process, from /proc: Linux only. */
function residentBytes(pid) {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match[1]) * 1024;
}
