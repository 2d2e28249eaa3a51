/** `HOLDPOINT_METRICS_PORT`: metrics and health of any of our processes, on a port that is not for the public. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SettingsError, type Settings } from './settings';

export interface OpsSource {
  /** Metrics in Prometheus' text format. */
  metrics(): Promise<string>;
  /** Resolves once Temporal answers; rejects when it does not. */
  ready(): Promise<unknown>;
}

export interface OpsServer {
  url: string;
  close(): Promise<void>;
}

const READY_WITHIN_MS = 5_000;

/**
 * Serves `/metrics`, `/healthz` and `/readyz` without a key, on `HOST`; null when no port is set. Throws `SettingsError`
 * when it cannot listen.
 */
export async function startOpsServer(settings: Settings, source: OpsSource): Promise<OpsServer | null> {
  const { HOLDPOINT_METRICS_PORT: port, HOST: host } = settings;
  if (port === undefined) return null;
  const server = createServer((request, response) => {
    void serve(source, request.method ?? '', (request.url ?? '').split('?')[0] ?? '', response).catch(() =>
      response.destroy(),
    );
  });
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host, port }, resolve));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`HOLDPOINT_METRICS_PORT ${port} cannot be listened on at ${host} (${code})`);
  }
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(source: OpsSource, method: string, path: string, response: ServerResponse): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') return sendError(response, 404, 'not_found', 'send GET');
  switch (path) {
    case '/healthz':
      return sendJson(response, 200, { status: 'ok' });
    case '/readyz':
      if (await answers(source.ready())) return sendJson(response, 200, { status: 'ready' });
      response.setHeader('retry-after', 2);
      return sendError(response, 503, 'engine_unavailable', 'Temporal does not answer: try again in a moment');
    case '/metrics':
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      response.end(await source.metrics());
      return;
    default:
      return sendError(response, 404, 'not_found', 'there are /metrics, /healthz and /readyz');
  }
}

/** False when it fails, or takes too long for whoever asks. */
async function answers(ready: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, READY_WITHIN_MS, false)));
  try {
    return await Promise.race([
      ready.then(
        () => true,
        () => false,
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

function sendError(response: ServerResponse, status: number, error: string, message: string): void {
  sendJson(response, status, { error, message });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}
