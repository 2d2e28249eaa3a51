/** Who may call what. Checked before anything else of a request is looked at (CONTRACT §5, §11). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './errors';
import type { KeyRing, Principal, Scope } from './keys';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Scope | 'public';
  }
}

/** Finds out who calls; null when nobody is known by what the request came with. */
export type Authenticate = (request: FastifyRequest) => Principal | null | Promise<Principal | null>;

/** By API key. */
export function byKey(keys: KeyRing): Authenticate {
  return (request) => keys.authenticate(request.headers.authorization);
}

/** Beside the requests, not on them: a host has decorators of its own. */
const callers = new WeakMap<FastifyRequest, Principal>();

/** Route config: a key with this scope is needed. */
export function requires(scope: Scope): { access: Scope } {
  return { access: scope };
}

/** Route config: anybody may call. */
export const isPublic = { access: 'public' } as const;

/** The authenticated caller of a request that got past `authenticate`. */
export function principalOf(request: FastifyRequest): Principal {
  const principal = callers.get(request);
  if (!principal) throw unauthorized();
  return principal;
}

/** The caller, where there is one: routes that anybody may call have none. */
export function callerOf(request: FastifyRequest): Principal | undefined {
  return callers.get(request);
}

/** Adds the check to every route, those that do not exist included: only a key tells which do. */
export function addAuthentication(
  app: FastifyInstance,
  authenticate: Authenticate,
  options: { docsPage: boolean },
): void {
  app.addHook('onRequest', async (request) => {
    const access = request.routeOptions.config.access;
    if (access === 'public' || (options.docsPage && isDocsPath(request))) return;
    const principal = await authenticate(request);
    if (!principal) throw unauthorized();
    callers.set(request, principal);
    if (access !== undefined) requireScope(principal, access);
  });
}

/** For what only the body of a request tells that it is asked for. Throws `forbidden`. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (!principal.scopes.has(scope)) throw new ApiError('forbidden', `this key lacks the scope "${scope}"`);
}

export function unauthorized(): ApiError {
  return new ApiError('unauthorized', 'send a valid API key: Authorization: Bearer <key>');
}

/** The docs page's own files: registered by its plugin, which takes no route config. */
function isDocsPath(request: FastifyRequest): boolean {
  const path = request.routeOptions.url ?? '';
  return path === '/docs' || path.startsWith('/docs/');
}
