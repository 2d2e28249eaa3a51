/** Connections to Temporal, by Temporal's own settings (`TEMPORAL_ADDRESS`, `TEMPORAL_PROFILE`, TLS, API key). */
import { Client, Connection, type WorkflowClientInterceptor } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import { largeMessages } from '../api/service/grpc-messages';
import type { ApiMetrics } from '../api/metrics/api-metrics';
import { measuredCalls } from '../api/metrics/measured-calls';
import { quickRetries } from '../api/service/grpc-retries';
import { SettingsError } from './settings';

export interface TemporalTarget {
  options: ReturnType<typeof loadClientConnectConfig>['connectionOptions'];
  namespace: string;
  address: string;
}

/** Where the environment says that Temporal is. Throws `SettingsError`. */
export function temporalTarget(): TemporalTarget {
  try {
    const { connectionOptions, namespace } = loadClientConnectConfig();
    const address = connectionOptions.address ?? '127.0.0.1:7233';
    return { options: { ...connectionOptions, address }, namespace: namespace ?? 'default', address };
  } catch (error) {
    throw new SettingsError(`TEMPORAL_PROFILE or another TEMPORAL_ setting is wrong: ${firstLine(error)}`);
  }
}

/**
 * A client that connects when it is first used and again whenever the server comes back: at once rather than after the
 * two minutes to which gRPC's own pauses grow. Its calls are measured.
 */
export function lazyClient(
  target: TemporalTarget,
  metrics: ApiMetrics,
  workflow: WorkflowClientInterceptor[] = [],
): Client {
  const connection = Connection.lazy({
    ...target.options,
    interceptors: [quickRetries(), measuredCalls(metrics)],
    channelArgs: {
      ...largeMessages,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.min_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
    },
  });
  return new Client({ connection, namespace: target.namespace, interceptors: { workflow } });
}

const WAIT_FOR_SERVER_MS = 60_000;
const BETWEEN_TRIES_MS = 500;

/**
 * Connects a worker; waits up to a minute for a server that is still starting, or until `stop`: then there is no
 * connection. Throws one clear line.
 */
export async function connectWorker(
  target: TemporalTarget,
  log: (line: string) => void,
  stop: Promise<void>,
): Promise<NativeConnection | undefined> {
  const deadline = Date.now() + WAIT_FOR_SERVER_MS;
  let stopped = false;
  void stop.then(() => (stopped = true));
  for (let told = false; !stopped; told = true) {
    try {
      return await NativeConnection.connect(target.options);
    } catch (error) {
      if (Date.now() > deadline) {
        throw new SettingsError(
          `TEMPORAL_ADDRESS: no Temporal server answers at ${target.address} (${firstLine(error)})`,
        );
      }
      if (!told) log(`waiting for Temporal at ${target.address}`);
      await Promise.race([stop, new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS))]);
    }
  }
  return undefined;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
