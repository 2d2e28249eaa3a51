/** `GET /inbox`: one JSON page of all that waits for people, or a stream for whoever accepts `text/event-stream`. */
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { principalOf, requires } from '../auth';
import type { RunService } from '../service/runs';
import * as schemas from './schemas';

export function inboxRoutes(service: RunService): FastifyPluginAsyncZod {
  return async (app) => {
    app.get('/inbox', {
      config: requires('read'),
      schema: {
        summary: 'Pending asks of all runs, oldest first',
        querystring: schemas.inboxQuery,
        response: { 200: schemas.inboxPage, ...schemas.errors(400) },
      },
      handler: async (request) => {
        const { limit, cursor, ...filter } = request.query;
        return service.inboxPage(principalOf(request), filter, { limit, cursor });
      },
    });
  };
}
