import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { apiKeysSchema, type ApiKeySettings } from '../api/keys';
import { SEARCH_ATTRIBUTES } from '../workflows/contract';
import { startDevServer } from './dev-server';
import { installedAgents } from './agents';
import { banner } from './banner';
import { checkDataDirFree } from './data-dir-lock';
import { apiOps, checkPort, processMetrics, startApi } from './run-api';
import { installRuntime, startWorker } from './run-worker';
import { sdkMetrics } from './sdk-metrics';
import { readApiKeys, SettingsError, type Settings } from './settings';
import { stopRequested } from './shutdown';
import { lazyClient } from './temporal';
import { resolveTemporalCli } from './temporal-cli';
import { tracingOf } from './tracing';

const NAMESPACE = 'default';

/** `holdpoint dev`: everything in one process beside an embedded Temporal server, for a first look and for development. */
export async function devCommand(settings: Settings): Promise<number> {
  const stop = stopRequested();
  const log = (line: string) => console.error(line);
  const ownKeys = readApiKeys(settings);
  const { startable } = await installedAgents(settings);
  // What would stop the start is looked at first, and nothing is printed before: a refusal is one line.
  const dataDir = usableDataDir(settings.HOLDPOINT_DATA_DIR);
  await checkPort(settings);
  const keys = ownKeys ?? keptKeys(dataDir, log);
  // Which program was taken is in the banner; what is worth a line of its own is a download.
  const cli = await resolveTemporalCli({ log: (line) => /downloading/.test(line) && log(line) });
  const tracing = await tracingOf(settings, 'dev');
  const metrics = processMetrics();
  const ofWorker = await sdkMetrics();
  metrics.also.push(() => ofWorker.text());
  installRuntime(settings, ofWorker);
  const server = await startDevServer({
    cliPath: cli.path,
    dataDir,
    port: 7233,
    uiPort: 8233,
    log,
    searchAttributes: SEARCH_ATTRIBUTES,
  });
  const closing: (() => Promise<unknown>)[] = [() => server.stop()];
  if (tracing) closing.unshift(() => tracing.stop());
  try {
    const connection = await NativeConnection.connect({ address: server.address });
    closing.unshift(() => connection.close());
    const worker = await startWorker(connection, NAMESPACE, settings, tracing);
    closing.unshift(() => worker.stop());
    const { address } = server;
    const client = lazyClient(
      { options: { address }, namespace: NAMESPACE, address },
      metrics,
      tracing?.clientInterceptors,
    );
    closing.unshift(() => client.connection.close());
    const ops = await apiOps(settings, client, metrics);
    if (ops) closing.unshift(() => ops.close());
    // A line for each request would push the banner off the screen.
    const logLevel = settings.LOG_LEVEL === 'info' ? 'warn' : settings.LOG_LEVEL;
    const api = await startApi(
      { client, keys, metrics, logLevel, tracing },
      { HOLDPOINT_TEMPORAL_UI: server.uiUrl, ...settings },
    );
    closing.unshift(() => api.app.close());
    if (ops) log(`metrics and health on ${ops.url}`);
    const agents = [...startable.keys()];
    const { address: temporal, uiUrl: webUi } = server;
    console.log(banner({ api: api.url, temporal, webUi, key: shownKey(keys), cli, agents }));
    const serverDied = server.exited.then((code) => {
      throw new SettingsError(`the embedded Temporal server has ended (${code ?? 'by a signal'})`);
    });
    await Promise.race([stop, worker.ended, serverDied]);
    return 0;
  } finally {
    for (const close of closing) await close().catch(() => undefined);
  }
}

/** The data folder, made if need be and no one else's. Throws one line that names it. */
function usableDataDir(setting: string): string {
  const dataDir = path.resolve(setting);
  try {
    // It holds the runs of everyone, and the API key.
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new SettingsError(`HOLDPOINT_DATA_DIR ${dataDir} is no folder that can be read and written (${code})`);
  }
  checkDataDirFree(dataDir);
  return dataDir;
}

/** The key that an earlier start has made in the data folder, or a new one. Readable by its owner alone. */
function keptKeys(dataDir: string, log: (line: string) => void): ApiKeySettings {
  const file = path.join(dataDir, 'api-keys.json');
  if (existsSync(file)) {
    const parsed = apiKeysSchema.safeParse(readJson(file));
    if (parsed.success) return parsed.data;
    throw new SettingsError(`${file} holds no API keys: mend it, or delete it to get a new one`);
  }
  const keys = [{ name: 'local', key: `hp_${randomBytes(24).toString('base64url')}`, workspace: 'default' }];
  try {
    writeFileSync(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    throw new SettingsError(
      `HOLDPOINT_DATA_DIR ${dataDir} cannot be written (${(error as NodeJS.ErrnoException).code})`,
    );
  }
  log(`made an API key and kept it in ${file}`);
  return keys;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function shownKey(keys: ApiKeySettings): string {
  return keys.find((entry) => entry.key !== undefined)?.key ?? '<your key>';
}
