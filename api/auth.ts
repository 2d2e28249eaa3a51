/** Who may call what. Checked before anything else of a request is looked at (CONTRACT §5, §11). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './errors';
import type { KeyRing, Principal, Scope } from './keys';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    access?: Scope | 'public';
  }
}

/** Route config: a key with this scope is needed. */
export function requires(scope: Scope): { access: Scope } {
  return { access: scope };
}

/** Route config: anybody may call. */
export const isPublic = { access: 'public' } as const;

/** The authenticated caller of a request that got past `authenticate`. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw unauthorized();
  return request.principal;
}

/** Adds the check to every route, those that do not exist included: only a key tells which do. */
export function addAuthentication(app: FastifyInstance, keys: KeyRing): void {
  app.decorateRequest('principal', null);
  app.addHook('onRequest', async (request) => {
    const access = request.routeOptions.config.access;
    if (access === 'public' || isDocsPath(request)) return;
    request.principal = keys.authenticate(request.headers.authorization);
    if (!request.principal) throw unauthorized();
    if (access !== undefined && !request.principal.scopes.has(access)) {
      throw new ApiError('forbidden', `this key lacks the scope "${access}"`);
    }
  });
}

export function unauthorized(): ApiError {
  return new ApiError('unauthorized', 'send a valid API key: Authorization: Bearer <key>');
}

/** The docs page's own files: registered by its plugin, which takes no route config. */
function isDocsPath(request: FastifyRequest): boolean {
  const path = request.routeOptions.url ?? '';
  return path === '/docs' || path.startsWith('/docs/');
}
