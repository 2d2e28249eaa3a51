import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { apiKeysSchema, type ApiKeySettings } from '../api/keys';
import { SEARCH_ATTRIBUTES } from '../workflows/contract';
import { startDevServer } from './dev-server';
import { banner } from './banner';
import { startApi } from './run-api';
import { installRuntime, startWorker } from './run-worker';
import { readApiKeys, SettingsError, type Settings } from './settings';
import { stopRequested } from './shutdown';
import { resolveTemporalCli } from './temporal-cli';

const NAMESPACE = 'default';

/** `holdpoint dev`: everything in one process beside an embedded Temporal server, for a first look and for development. */
export async function devCommand(settings: Settings): Promise<number> {
  const stop = stopRequested();
  const log = (line: string) => console.error(line);
  const keys = readApiKeys(settings) ?? keptKeys(settings.HOLDPOINT_DATA_DIR, log);
  const cli = await resolveTemporalCli({ log });
  installRuntime(settings);
  const server = await startDevServer({
    cliPath: cli.path,
    dataDir: settings.HOLDPOINT_DATA_DIR,
    port: 7233,
    uiPort: 8233,
    log,
    searchAttributes: SEARCH_ATTRIBUTES,
  });
  const closing: (() => Promise<unknown>)[] = [() => server.stop()];
  try {
    const connection = await NativeConnection.connect({ address: server.address });
    closing.unshift(() => connection.close());
    const worker = await startWorker(connection, NAMESPACE, settings);
    closing.unshift(() => worker.stop());
    const clientConnection = await Connection.connect({ address: server.address });
    closing.unshift(() => clientConnection.close());
    const client = new Client({ connection: clientConnection, namespace: NAMESPACE });
    const api = await startApi(client, keys, settings);
    closing.unshift(() => api.app.close());
    console.log(banner({ api: api.url, temporal: server.address, webUi: server.uiUrl, key: shownKey(keys), cli }));
    const serverDied = server.exited.then((code) => {
      throw new SettingsError(`the embedded Temporal server has ended (${code ?? 'by a signal'})`);
    });
    await Promise.race([stop, worker.ended, serverDied]);
    return 0;
  } finally {
    for (const close of closing) await close().catch(() => undefined);
  }
}

/** The key that an earlier start has made in the data folder, or a new one. Readable by its owner alone. */
function keptKeys(dataDir: string, log: (line: string) => void): ApiKeySettings {
  const file = path.join(dataDir, 'api-keys.json');
  if (existsSync(file)) {
    const parsed = apiKeysSchema.safeParse(parseJson(readFileSync(file, 'utf8')));
    if (parsed.success) return parsed.data;
    throw new SettingsError(`${file} holds no API keys: mend it, or delete it to get a new one`);
  }
  const keys = [{ name: 'local', key: `hp_${randomBytes(24).toString('base64url')}`, workspace: 'default' }];
  try {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    throw new SettingsError(
      `HOLDPOINT_DATA_DIR ${dataDir} cannot be written (${(error as NodeJS.ErrnoException).code})`,
    );
  }
  log(`made an API key and kept it in ${file}`);
  return keys;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shownKey(keys: ApiKeySettings): string {
  return keys.find((entry) => entry.key !== undefined)?.key ?? '<your key>';
}
