/** Events of a run over HTTP: one JSON page, or a stream for whoever accepts `text/event-stream`. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventPage, RunEvent } from '../../workflows/contract';
import { principalOf } from '../auth';
import type { RunService } from '../service/runs';
import { acceptsStream, cursorOf, SseStream, type SseEvent } from './sse';
import type { Follower } from './watcher';

/** How a door shows events. */
export interface EventView<Page> {
  event: (event: RunEvent) => SseEvent;
  page: (runId: string, page: EventPage) => Page;
}

interface EventsRequest {
  Params: { run_id: string };
  Querystring: { after: number; limit: number };
}

/** Answers the request: with a page, or with a stream that resumes after `Last-Event-ID` and ends with the run. */
export async function serveEvents<Page>(
  service: RunService,
  request: Pick<FastifyRequest<EventsRequest>, 'params' | 'query' | 'headers' | 'raw'>,
  reply: FastifyReply,
  view: EventView<Page>,
): Promise<Page | FastifyReply> {
  const principal = principalOf(request as FastifyRequest);
  const { run_id } = request.params;
  if (!acceptsStream(request)) {
    return view.page(run_id, await service.events(principal, run_id, request.query));
  }
  const run = await service.find(principal, run_id);
  const lastEventId = request.headers['last-event-id'];
  const cursor = typeof lastEventId === 'string' ? cursorOf(lastEventId) : request.query.after;
  // Nothing more will come: 204 is how a browser is told not to connect again.
  if (await service.isOver(run, cursor)) return reply.code(204).send(null);

  reply.hijack();
  const stream = new SseStream(reply.raw, reply.getHeaders(), () => unfollow());
  const follower: Follower = {
    cursor,
    send: (events) => stream.send(events.map(view.event)),
    end: () => stream.end(),
  };
  const unfollow = service.follow(run, follower);
  // The client may have left while the run was looked up.
  if (request.raw.destroyed) unfollow();
  return reply;
}
