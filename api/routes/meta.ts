/** Health, readiness and the OpenAPI document, without a key; and the metrics, with one. None of them shows a run. */
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errorBodySchema } from '../../workflows/contract';
import { isPublic, requires } from '../auth';
import { ApiMetrics } from '../metrics/api-metrics';
import type { RunService } from '../service/runs';
import { BASE_PATH } from './agents';
import { errors } from './schemas';

const says = <Status extends string>(status: Status) => z.strictObject({ status: z.literal(status) });

/** `document` is what `/openapi.json` shows in place of what the app itself has collected. */
export function metaRoutes(
  service: RunService,
  options: { document?: object | undefined; metrics?: ApiMetrics | undefined } = {},
): FastifyPluginAsyncZod {
  const { document, metrics = new ApiMetrics() } = options;
  return async (app) => {
    app.get('/healthz', {
      config: isPublic,
      schema: { summary: 'Whether the process lives', security: [], response: { 200: says('ok') } },
      handler: () => ({ status: 'ok' as const }),
    });
    app.get('/readyz', {
      config: isPublic,
      schema: {
        summary: 'Whether Temporal answers',
        security: [],
        response: { 200: says('ready'), 503: errorBodySchema },
      },
      handler: async () => {
        await service.ping();
        return { status: 'ready' as const };
      },
    });
    app.get('/metrics', {
      config: requires('read'),
      schema: {
        summary: 'Metrics of this process, for Prometheus',
        description: 'Counts of all workspaces; no run, name or text is in them.',
        response: { 200: { content: { 'text/plain': { schema: z.string() } } }, ...errors() },
      },
      handler: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
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
