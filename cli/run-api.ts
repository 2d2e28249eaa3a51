import { createServer, type AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../api/app';
import type { ApiKeySettings } from '../api/keys';
import { ApiMetrics } from '../api/metrics/api-metrics';
import { ensureSearchAttributes } from '../worker/search-attributes';
import { collectDefaultMetrics } from 'prom-client';
import { installedAgents } from './agents';
import { startOpsServer, type OpsServer } from './ops-server';
import { readApiKeys, SettingsError, type Settings } from './settings';
import { stopRequested } from './shutdown';
import { lazyClient, temporalTarget, type TemporalTarget } from './temporal';
import type { Tracing } from './open-telemetry';
import { tracingOf } from './tracing';

/** How long a start waits for the server to say whether it has the namespace. */
const NAMESPACE_MS = 2_000;
/** gRPC's status code. */
const NOT_FOUND = 5;

export interface RunningApi {
  app: FastifyInstance;
  url: string;
}

/** Metrics of an API process: what the API measures, and what Node does. */
export function processMetrics(): ApiMetrics {
  const metrics = new ApiMetrics();
  collectDefaultMetrics({ register: metrics.registry });
  return metrics;
}

/** The port for metrics and health of a process that has an API. */
export function apiOps(settings: Settings, client: Client, metrics: ApiMetrics): Promise<OpsServer | null> {
  return startOpsServer(settings, {
    metrics: () => metrics.text(),
    ready: () => client.withDeadline(Date.now() + 2_000, () => client.workflowService.getSystemInfo({})),
  });
}

/** Builds the API and listens. Throws `SettingsError` when the port is taken. */
export async function startApi(
  parts: {
    client: Client;
    keys: ApiKeySettings;
    metrics: ApiMetrics;
    logLevel: string;
    tracing?: Tracing | undefined;
  },
  settings: Settings,
): Promise<RunningApi> {
  const app = await buildApp({
    client: parts.client,
    keys: parts.keys,
    metrics: parts.metrics,
    prepare: parts.tracing?.requests,
    agents: (await installedAgents(settings)).startable,
    taskQueue: settings.HOLDPOINT_TASK_QUEUE,
    rateLimit: settings.HOLDPOINT_RATE_LIMIT,
    corsOrigins: settings.HOLDPOINT_CORS_ORIGINS,
    temporalUi: settings.HOLDPOINT_TEMPORAL_UI,
    logger: { level: parts.logLevel },
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

/** A server that is not there yet is waited for, later; one that lacks the namespace is a wrong setting. */
async function checkNamespace(client: Client, { namespace, address }: TemporalTarget): Promise<void> {
  const describe = () => client.workflowService.describeNamespace({ namespace });
  const refused = await client.withDeadline(Date.now() + NAMESPACE_MS, describe).then(
    () => null,
    (error: { code?: unknown }) => error.code,
  );
  if (refused !== NOT_FOUND) return;
  throw new SettingsError(
    `TEMPORAL_NAMESPACE ${namespace} is not there at ${address}: set another one, or make it with: temporal operator namespace create -n ${namespace}`,
  );
}

/** `holdpoint api`: one API process against the Temporal server that the environment names. */
export async function apiCommand(settings: Settings): Promise<number> {
  const stop = stopRequested();
  const keys = readApiKeys(settings);
  if (!keys) throw new SettingsError('HOLDPOINT_API_KEYS (or HOLDPOINT_API_KEYS_FILE) is not set: the API needs keys');
  const target = temporalTarget();
  const metrics = processMetrics();
  const tracing = await tracingOf(settings, 'api');
  const client = lazyClient(target, metrics, tracing?.clientInterceptors);
  await checkNamespace(client, target);
  const ops = await apiOps(settings, client, metrics);
  const { app, url } = await startApi({ client, keys, metrics, tracing, logLevel: settings.LOG_LEVEL }, settings);
  if (ops) console.log(`api: metrics and health on ${ops.url}`);
  console.log(`api: listening on ${url} (Temporal at ${target.address}, namespace ${target.namespace})`);
  // So that runs can be started before the first worker has registered them. The worker is the one that insists.
  void ensureSearchAttributes(client.connection as never, target.namespace).catch(() => undefined);
  await stop;
  await app.close();
  await ops?.close();
  await client.connection.close();
  await tracing?.stop();
  return 0;
}
