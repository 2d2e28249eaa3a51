import { createServer, type AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../api/app';
import type { ApiKeySettings } from '../api/keys';
import { ensureSearchAttributes } from '../worker/search-attributes';
import { installedAgents } from './agents';
import { readApiKeys, SettingsError, type Settings } from './settings';
import { stopRequested } from './shutdown';
import { lazyClient, temporalTarget } from './temporal';

export interface RunningApi {
  app: FastifyInstance;
  url: string;
}

/** Builds the API and listens. Throws `SettingsError` when the port is taken. */
export async function startApi(client: Client, keys: ApiKeySettings, settings: Settings): Promise<RunningApi> {
  const app = await buildApp({
    client,
    keys,
    agents: await installedAgents(settings),
    taskQueue: settings.HOLDPOINT_TASK_QUEUE,
    rateLimit: settings.HOLDPOINT_RATE_LIMIT,
    logger: { level: settings.LOG_LEVEL === 'info' ? 'warn' : settings.LOG_LEVEL },
  });
  const { HOST: host, PORT: port } = settings;
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw cannotListen(settings, error);
  }
  const address = app.server.address() as AddressInfo;
  const shown = host.includes(':') ? `[${host}]` : host;
  return { app, url: `http://${shown}:${address.port}` };
}

/** Throws `SettingsError` when the API could not listen: for who wants to know before anything else is started. */
export async function checkPort(settings: Settings): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject).listen({ host: settings.HOST, port: settings.PORT }, resolve);
    });
  } catch (error) {
    throw cannotListen(settings, error);
  }
  await new Promise((resolve) => probe.close(resolve));
}

function cannotListen({ HOST: host, PORT: port }: Settings, error: unknown): SettingsError {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') return new SettingsError(`PORT ${port} is taken on ${host}: set PORT to another one`);
  if (code === 'EACCES') return new SettingsError(`PORT ${port} may not be used: set PORT to one above 1023`);
  return new SettingsError(`HOST ${host} cannot be listened on (${code})`);
}

/** `holdpoint api`: one API process against the Temporal server that the environment names. */
export async function apiCommand(settings: Settings): Promise<number> {
  const stop = stopRequested();
  const keys = readApiKeys(settings);
  if (!keys) throw new SettingsError('HOLDPOINT_API_KEYS (or HOLDPOINT_API_KEYS_FILE) is not set: the API needs keys');
  const target = temporalTarget();
  const client = lazyClient(target);
  const { app, url } = await startApi(client, keys, settings);
  console.log(`api: listening on ${url} (Temporal at ${target.address}, namespace ${target.namespace})`);
  // So that runs can be started before the first worker has registered them. The worker is the one that insists.
  void ensureSearchAttributes(client.connection as never, target.namespace).catch(() => undefined);
  await stop;
  await app.close();
  await client.connection.close();
  return 0;
}
