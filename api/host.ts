/** `holdpoint/api`: the API as a Fastify plugin, for a team's own server. */
import type { Client } from '@temporalio/client';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { DEFAULT_TASK_QUEUE, LIMITS } from '../workflows/contract';
import { byKey, type Authenticate } from './auth';
import { addApi, addRoutes, serviceOf } from './parts';
import { apiKeysSchema, KeyRing, SCOPES, type ApiKeySettings, type Principal, type Scope } from './keys';
import { openApiDocument } from './document';
import { ApiMetrics } from './metrics/api-metrics';
import type { StartableAgent } from './service/start';

/** Who calls, as the host's own authentication knows them. */
export interface HostPrincipal {
  /** Shown as whoever started, answered or cancelled. */
  name: string;
  /** The runs that are seen and touched: those of this workspace and no others. */
  workspace: string;
  /** Default: all of `read`, `start`, `answer`, `cancel`. */
  scopes?: Iterable<Scope> | undefined;
}

export interface HoldpointApiOptions {
  /** Temporal, with the data converter that the workers have. Give its connection `largeMessages` and `quickRetries`. */
  client: Client;
  /**
   * The host's own check of a request: null or undefined is a 401. What it throws is a 401 or 403 where it says so by its
   * `statusCode`, and a 500 otherwise.
   */
  authenticate?: ((request: FastifyRequest) => MaybePromise<HostPrincipal | null | undefined>) | undefined;
  /** In place of `authenticate`: API keys, as the API on its own has them. */
  keys?: ApiKeySettings | undefined;
  /** What `POST /agents` may start. Default none: such an API reads, answers and cancels. */
  agents?: Iterable<StartableAgent> | undefined;
  /** Where agents without a task queue of their own are started. Default `holdpoint`. */
  taskQueue?: string | undefined;
  /** Requests a second for one principal. Default: no limit but the host's. */
  rateLimit?: number | undefined;
}

type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Mounts the API: `app.register(holdpointApi, { prefix: '/holdpoint', client, authenticate })`. Below the prefix every
 * path is as in the API on its own (`/holdpoint/api/platform/v1/agents`, …), but for the docs page; `/openapi.json`
 * describes it. All of it is encapsulated: the host's error handler, parsers, validators, decorators, OpenAPI document and
 * other routes are as they were, and its hooks run before ours. Rejects when it has neither `authenticate` nor `keys`.
 */
export const holdpointApi: FastifyPluginAsync<HoldpointApiOptions> = async (app, options) => {
  const agents = new Map([...(options.agents ?? [])].map((agent) => [agent.name, agent]));
  const metrics = new ApiMetrics();
  const { client, taskQueue = DEFAULT_TASK_QUEUE } = options;
  const service = serviceOf({ client, agents, taskQueue, metrics });
  // Before our routes exist: each takes our body limit, and the host's own document leaves them out, whose schemas it
  // could not read.
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= LIMITS.bodyBytes;
    if (route.schema) Object.assign(route.schema, { hide: true });
  });
  const authenticate = authenticateOf(options);
  await addApi(app, { service, authenticate, rateLimit: options.rateLimit, standalone: false });
  await addRoutes(app, service, { document: await openApiDocument(service, app.prefix), metrics });
};

function authenticateOf({ authenticate, keys }: HoldpointApiOptions): Authenticate {
  if (authenticate) return async (request) => principalOfHost(await authenticate(request));
  if (keys) return byKey(new KeyRing(apiKeysSchema.parse(keys)));
  throw new Error('holdpointApi needs authenticate (your own check of a request) or keys');
}

function principalOfHost(given: HostPrincipal | null | undefined): Principal | null {
  if (!given) return null;
  const { name, workspace, scopes = SCOPES } = given;
  if (!name || !workspace) throw new Error('authenticate must give a principal with a name and a workspace, or null');
  return { keyId: JSON.stringify([workspace, name]), name: name.slice(0, 200), workspace, scopes: new Set(scopes) };
}
