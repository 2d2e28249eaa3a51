/** Pages of other origins that may call (a setting): only those it lists, and never with cookies, since a key travels in a header. */
import type { FastifyInstance } from 'fastify';

/** What a page may read of a reply besides its body. */
const EXPOSED = 'Location, Retry-After, ETag';
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';

/**
 * Adds the headers to every reply, errors included, and answers preflights, which carry no key: so it must be added before
 * authentication. Any other `OPTIONS` is a call like every other, and gets its JSON error.
 */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !(allowed.has('*') || allowed.has(origin))) return;
    void reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return;
    const wanted = request.headers['access-control-request-headers'];
    if (wanted !== undefined) void reply.header('access-control-allow-headers', wanted);
    return reply
      .header('access-control-allow-methods', METHODS)
      .header('access-control-max-age', PREFLIGHT_SECONDS)
      .code(204)
      .send();
  });
}
