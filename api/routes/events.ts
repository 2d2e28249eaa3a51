/** `GET /agents/{id}/events`: one JSON page, or a stream for whoever accepts `text/event-stream`. */
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { requires } from '../auth';
import type { RunService } from '../service/runs';
import { serveEvents } from '../streams/serve-events';
import * as schemas from './schemas';

export function eventRoutes(service: RunService): FastifyPluginAsyncZod {
  return async (app) => {
    app.get('/agents/:run_id/events', {
      config: requires('read'),
      schema: {
        summary: 'Events of a run: one page, or a live stream',
        description:
          'With `Accept: text/event-stream` a stream that resumes after `Last-Event-ID` and ends when the run has ended; ' +
          'otherwise one page after `after`.',
        params: schemas.runParams,
        querystring: schemas.eventsQuery,
        response: { 200: schemas.eventList, 204: schemas.nothingMore, ...schemas.errors(400, 404) },
      },
      handler: async (request, reply) =>
        serveEvents(service, request, reply, {
          event: (event) => event,
          page: (run_id, page) => ({ run_id, ...page }),
        }),
    });
  };
}
