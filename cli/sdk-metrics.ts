/** The Temporal SDK's own metrics, and those of the workflows: the SDK exports them on a port, which we read. */
import { createServer, type AddressInfo } from 'node:net';
import type { TelemetryOptions } from '@temporalio/worker';
import { ASK_METRICS, TIME_TO_ANSWER_BUCKETS } from '../workflows/contract';

export interface SdkMetrics {
  /** For `Runtime.install`. */
  telemetryOptions: TelemetryOptions;
  /** The metrics in Prometheus' text format. Rejects when the exporter does not answer. */
  text(): Promise<string>;
}

/**
 * An exporter of this process alone: on the loopback address, on a port that is free now, as it cannot pick one. Its
 * metrics are shown beside our own, behind whatever guards those.
 */
export async function sdkMetrics(): Promise<SdkMetrics> {
  const bindAddress = `127.0.0.1:${await freePort()}`;
  return {
    telemetryOptions: {
      metrics: {
        attachServiceName: false,
        prometheus: {
          bindAddress,
          useSecondsForDurations: true,
          histogramBucketOverrides: { [ASK_METRICS.timeToAnswer]: TIME_TO_ANSWER_BUCKETS },
        },
      },
    },
    async text() {
      const reply = await fetch(`http://${bindAddress}/metrics`, { signal: AbortSignal.timeout(2_000) });
      return reply.text();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
