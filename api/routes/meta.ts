/** Routes without a key: health, readiness, the OpenAPI document. None of them shows a run. */
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { isPublic } from '../auth';
import type { RunService } from '../service/runs';
import { BASE_PATH } from './agents';

/** `document` is what `/openapi.json` shows in place of what the app itself has collected. */
export function metaRoutes(
  service: RunService,
  options: { document?: object | undefined } = {},
): FastifyPluginAsyncZod {
  const { document } = options;
  return async (app) => {
    app.get('/healthz', { config: isPublic, schema: { hide: true } }, () => ({ status: 'ok' }));
    app.get('/readyz', { config: isPublic, schema: { hide: true } }, async () => {
      await service.ping();
      return { status: 'ready' };
    });
    for (const path of ['/openapi.json', `${BASE_PATH}/openapi.json`]) {
      app.get(path, { config: isPublic, schema: { hide: true } }, () => document ?? app.swagger());
    }
    if (document) return;
    app.get(`${BASE_PATH}/docs`, { config: isPublic, schema: { hide: true } }, (_request, reply) =>
      reply.redirect('/docs'),
    );
  };
}
