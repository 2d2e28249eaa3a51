/** The HTTP API as a Fastify app: built here, listened to elsewhere, so that tests and hosts can mount it. */
import fastifyHelmet from '@fastify/helmet';
import fastifyRateLimit from '@fastify/rate-limit';
import fastifySwagger from '@fastify/swagger';
import fastifySwaggerUi from '@fastify/swagger-ui';
import type { Client } from '@temporalio/client';
import fastify, { LogController, type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { DEFAULT_TASK_QUEUE, LIMITS } from '../workflows/contract';
import { addAuthentication } from './auth';
import { addErrorHandling, clientErrorHandler, frameworkErrors } from './error-handling';
import { ApiError } from './errors';
import { addJsonBody } from './json-body';
import { apiKeysSchema, KeyRing, type ApiKeySettings } from './keys';
import { transformObject } from './openapi';
import { agentRoutes, BASE_PATH } from './routes/agents';
import { definitionRoutes } from './routes/definitions';
import { eventRoutes } from './routes/events';
import { inboxRoutes } from './routes/inbox';
import { metaRoutes } from './routes/meta';
import { TemporalGateway } from './service/gateway';
import { RunService } from './service/runs';
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
  logger?: FastifyServerOptions['logger'];
}

/**
 * Builds the API. Errors: a bad key list throws zod's error. Listening and closing are the caller's; `close()` ends
 * open streams first.
 */
export async function buildApp(settings: AppSettings): Promise<FastifyInstance> {
  const keys = new KeyRing(apiKeysSchema.parse(settings.keys));
  const gateway = new TemporalGateway(settings.client, settings.taskQueue ?? DEFAULT_TASK_QUEUE);
  const service = new RunService(gateway, settings.agents);
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
  // Replies are built from typed records; their schemas are for the document.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  addJsonBody(app);
  addErrorHandling(app);
  addAuthentication(app, keys);
  app.addHook('preClose', async () => service.streams.close());
  dropUnfinishedRequests(app);

  await app.register(fastifyHelmet, { contentSecurityPolicy: false });
  await app.register(fastifyRateLimit, {
    max: settings.rateLimit ?? 1_000,
    timeWindow: 1_000,
    keyGenerator: (request) => request.principal?.keyId ?? request.ip,
    errorResponseBuilder: () => new ApiError('rate_limited', 'too many requests with this key: slow down'),
  });
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Holdpoint',
        version: '1.0.0',
        description: 'Agent runs that wait for people. A run pauses on a question; `resume` answers it.',
      },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject,
  });
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // Over plain HTTP it would send the page's own files to a port that does not listen.
    transformStaticCSP: (policy) => policy.replace(/;?\s*upgrade-insecure-requests/g, ''),
  });
  await app.register(metaRoutes(service));
  await app.register(agentRoutes(service), { prefix: BASE_PATH });
  await app.register(definitionRoutes(service), { prefix: BASE_PATH });
  await app.register(eventRoutes(service), { prefix: BASE_PATH });
  await app.register(inboxRoutes(service), { prefix: BASE_PATH });
  return app;
}
