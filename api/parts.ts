/** What the API on its own and the API in a team's server are both made of. */
import fastifyRateLimit from '@fastify/rate-limit';
import type { Client } from '@temporalio/client';
import type { FastifyInstance } from 'fastify';
import { addAuthentication, callerOf, type Authenticate } from './auth';
import { agUiRoutes } from './ag-ui/routes';
import { addCompilers, addErrorHandling } from './error-handling';
import { ApiError } from './errors';
import { addJsonBody } from './json-body';
import { mcpRoutes } from './mcp/routes';
import type { ApiMetrics } from './metrics/api-metrics';
import { missionControlRoutes } from './mission-control/routes';
import { agentRoutes, BASE_PATH } from './routes/agents';
import { definitionRoutes } from './routes/definitions';
import { eventRoutes } from './routes/events';
import { inboxRoutes } from './routes/inbox';
import { meRoutes } from './routes/me';
import { metaRoutes } from './routes/meta';
import { TemporalGateway } from './service/gateway';
import { RunService } from './service/runs';
import type { StartableAgent } from './service/start';

/** The one service behind every door. */
export function serviceOf(parts: {
  client: Client;
  agents: ReadonlyMap<string, StartableAgent>;
  taskQueue: string;
  metrics?: ApiMetrics | undefined;
}): RunService {
  return new RunService(new TemporalGateway(parts.client, parts.taskQueue), parts.agents, parts.metrics);
}

/** How requests are read, judged and refused, for the routes that are added to `app` after this. */
export async function addApi(
  app: FastifyInstance,
  parts: {
    service: RunService;
    authenticate: Authenticate;
    rateLimit?: number | undefined;
    /** True for the API on its own: the docs page and what is not found are its own too. */
    standalone: boolean;
  },
): Promise<void> {
  addCompilers(app);
  addJsonBody(app);
  addErrorHandling(app, { notFound: parts.standalone || app.prefix !== '' });
  addAuthentication(app, parts.authenticate, { docsPage: parts.standalone });
  app.addHook('preClose', async () => parts.service.closeStreams());
  if (parts.rateLimit === undefined) return;
  await app.register(fastifyRateLimit, {
    max: parts.rateLimit,
    timeWindow: 1_000,
    // What anybody may read, a health check above all, is no key's use of the API.
    allowList: (request) => callerOf(request) === undefined,
    keyGenerator: (request) => callerOf(request)?.keyId ?? '',
    errorResponseBuilder: () => new ApiError('rate_limited', 'too many requests with this key: slow down'),
  });
}

/** Every route of the API. `document` is what `/openapi.json` shows; default: what `app` itself knows of its routes. */
export async function addRoutes(
  app: FastifyInstance,
  service: RunService,
  options: {
    document?: object | undefined;
    metrics?: ApiMetrics | undefined;
    /** Where workflows are in Temporal's Web UI. */
    temporalUi?: string | undefined;
  } = {},
): Promise<void> {
  await app.register(metaRoutes(service, options));
  await app.register(agentRoutes(service), { prefix: BASE_PATH });
  await app.register(definitionRoutes(service), { prefix: BASE_PATH });
  await app.register(eventRoutes(service), { prefix: BASE_PATH });
  await app.register(inboxRoutes(service), { prefix: BASE_PATH });
  await app.register(meRoutes(options), { prefix: BASE_PATH });
  await app.register(missionControlRoutes(service));
  await app.register(mcpRoutes(service));
  await app.register(agUiRoutes(service));
}
