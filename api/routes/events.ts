/** `GET /agents/{id}/events`: one JSON page, or a stream for whoever accepts `text/event-stream`. */
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { principalOf, requires } from '../auth';
import type { RunService } from '../service/runs';
import { acceptsStream, cursorOf, SseStream } from '../streams/sse';
import type { Follower } from '../streams/watcher';
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
      handler: async (request, reply) => {
        const { run_id } = request.params;
        if (!acceptsStream(request)) {
          return { run_id, ...(await service.events(principalOf(request), run_id, request.query)) };
        }
        const run = await service.find(principalOf(request), run_id);
        const lastEventId = request.headers['last-event-id'];
        const cursor = typeof lastEventId === 'string' ? cursorOf(lastEventId) : request.query.after;
        // Nothing more will come: 204 is how a browser is told not to connect again.
        if (await service.isOver(run, cursor)) return reply.code(204).send(null);

        reply.hijack();
        const stream = new SseStream(reply.raw, reply.getHeaders(), () => unfollow());
        const follower: Follower = {
          cursor,
          send: (events) => stream.send(events),
          end: () => stream.end(),
        };
        const unfollow = service.follow(run, follower);
        // The client may have left while the run was looked up.
        if (request.raw.destroyed) unfollow();
        return reply;
      },
    });
  };
}
