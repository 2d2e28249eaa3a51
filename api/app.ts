/** The HTTP API as a Fastify app of its own: built here, listened to elsewhere. */
import fastifyHelmet from '@fastify/helmet';
import fastifySwaggerUi from '@fastify/swagger-ui';
import type { Client } from '@temporalio/client';
import fastify, { LogController, type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { DEFAULT_TASK_QUEUE, LIMITS } from '../workflows/contract';
import { byKey } from './auth';
import { addCors } from './cors';
import { addDocument } from './document';
import { clientErrorHandler, frameworkErrors, takeAnyExpectation } from './error-handling';
import { apiKeysSchema, KeyRing, type ApiKeySettings } from './keys';
import { ApiMetrics } from './metrics/api-metrics';
import { addApi, addRoutes, serviceOf } from './parts';
import { addRequestLog } from './request-log';
import { consoleRoutes } from './routes/console';
import { workflowsAddress } from './routes/me';
import type { StartableAgent } from './service/start';
import { dropUnfinishedRequests } from './unfinished-requests';

export interface AppSettings {
  /** Temporal. Its connection takes large messages (`largeMessages`) and is retried soon (`quickRetries`). */
  client: Client;
  /** Agents that may be started. */
  agents: ReadonlyMap<string, StartableAgent>;
  keys: ApiKeySettings;
  taskQueue?: string | undefined;
  /** Requests a second for one key. Default 1000. */
  rateLimit?: number | undefined;
  /** Origins whose pages may call, `*` for all. Default none but the API's own. */
  corsOrigins?: readonly string[] | undefined;
  /** Address of Temporal's Web UI, for links. */
  temporalUi?: string | undefined;
  logger?: FastifyServerOptions['logger'];
  /** What `/metrics` shows besides: of the process, of calls to Temporal (`measuredCalls`). Default: of the API alone. */
  metrics?: ApiMetrics | undefined;
  /** Called before any hook or route is added: for what has to see every request, such as tracing. */
  prepare?: ((app: FastifyInstance) => void) | undefined;
}

/**
 * Builds the API. Errors: a bad key list throws zod's error. Listening and closing are the caller's; `close()` ends
 * open streams first.
 */
export async function buildApp(settings: AppSettings): Promise<FastifyInstance> {
  const keys = new KeyRing(apiKeysSchema.parse(settings.keys));
  const { client, agents, taskQueue = DEFAULT_TASK_QUEUE } = settings;
  const { metrics = new ApiMetrics() } = settings;
  const service = serviceOf({ client, agents, taskQueue, metrics });
  const app = fastify({
    logger: settings.logger ?? false,
    bodyLimit: LIMITS.bodyBytes,
    // Long ids are unknown runs like any other; Fastify's own limit would answer with another code.
    routerOptions: { maxParamLength: 16_384 },
    exposeHeadRoutes: false,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: 'idle',
    frameworkErrors: frameworkErrors(keys),
    clientErrorHandler,
    http: { requireHostHeader: false },
  });
  takeAnyExpectation(app);
  dropUnfinishedRequests(app);
  settings.prepare?.(app);
  addRequestLog(app, metrics);
  await app.register(fastifyHelmet, { contentSecurityPolicy: false });
  addCors(app, settings.corsOrigins ?? []);
  const { rateLimit = 1_000 } = settings;
  await addApi(app, { service, authenticate: byKey(keys), rateLimit, standalone: true });
  await addDocument(app);
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // Over plain HTTP it would send the page's own files to a port that does not listen.
    transformStaticCSP: (policy) => policy.replace(/;?\s*upgrade-insecure-requests/g, ''),
  });
  const temporalUi = workflowsAddress(settings.temporalUi, client.options.namespace);
  await addRoutes(app, service, { metrics, temporalUi });
  await app.register(consoleRoutes());
  return app;
}
