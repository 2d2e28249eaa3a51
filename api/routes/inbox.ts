/** The inbox, one JSON page or a stream of it, and who means to answer what: claim and release. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { runRecordSchema } from '../../workflows/contract';
import { principalOf, requires } from '../auth';
import { engineUnavailable } from '../errors';
import type { ClaimReply } from '../service/claim';
import type { InboxFilter } from '../service/inbox-asks';
import type { RunService } from '../service/runs';
import type { InboxFollower } from '../streams/inbox-board';
import { acceptsStream, SseStream } from '../streams/sse';
import { lookedUpFirst } from './looked-up-first';
import * as schemas from './schemas';

export function inboxRoutes(service: RunService): FastifyPluginAsyncZod {
  return async (app) => {
    app.get('/inbox', {
      config: requires('read'),
      schema: {
        summary: 'Pending asks of all runs, oldest first: one page, or a live stream',
        description:
          'With `Accept: text/event-stream` a stream: `inbox.snapshot` with the first page, then `ask.opened`, `ask.changed` ' +
          '(claimed, released) and `ask.closed`, each with the new `count`. It has no ids: a reconnect gets a new snapshot.',
        querystring: schemas.inboxQuery,
        response: { 200: schemas.inboxPage, ...schemas.errors(400) },
      },
      handler: async (request, reply) => {
        const { limit, cursor, ...filter } = request.query;
        if (acceptsStream(request)) return streamInbox(service, request, reply, filter);
        return service.inboxPage(principalOf(request), filter, { limit, cursor });
      },
    });

    const decided = {
      200: runRecordSchema,
      202: schemas.queuedRequest,
      ...schemas.errors(400, 404, 409, 413, 415, 422),
    };
    app.post('/agents/:run_id/claim', {
      config: requires('answer'),
      ...lookedUpFirst(service),
      schema: {
        summary: 'Claim the pending question',
        description:
          'Until the claim is over nobody else can answer, decline or claim: 409 `claimed`. The first one wins; its holder ' +
          'claims again to prolong it. 202 says that the claim is durable and waits for a worker.',
        params: schemas.runParams,
        body: schemas.claimBody,
        response: decided,
      },
      handler: async (request, reply) => {
        const told = await service.claim(principalOf(request), request.params.run_id, request.body);
        return reply.code(told.queued ? 202 : 200).send(bodyOf(told));
      },
    });

    app.post('/agents/:run_id/release', {
      config: requires('answer'),
      ...lookedUpFirst(service),
      schema: {
        summary: 'Give a claimed question back',
        description: 'For the one who holds it; an ask that nobody holds is released already.',
        params: schemas.runParams,
        body: schemas.releaseBody,
        response: decided,
      },
      handler: async (request, reply) => {
        const told = await service.release(principalOf(request), request.params.run_id, request.body);
        return reply.code(told.queued ? 202 : 200).send(bodyOf(told));
      },
    });
  };
}

/** The head of the stream goes out with the snapshot: until then the reply can still be an error. */
async function streamInbox(service: RunService, request: FastifyRequest, reply: FastifyReply, filter: InboxFilter) {
  let stream: SseStream | undefined;
  let unfollow: (() => void) | null = null;
  const open = () => {
    reply.hijack();
    return new SseStream(reply.raw, reply.getHeaders(), () => unfollow?.());
  };
  const isGone = () => request.raw.socket.destroyed;
  const follower: InboxFollower = {
    filter,
    send: ({ type, ...data }) => (stream ??= open()).sendData(type, data),
    end: () => stream?.end(),
  };
  unfollow = await service.followInbox(principalOf(request), follower, isGone);
  if (!unfollow && !isGone()) throw engineUnavailable();
  // The client may have left while the snapshot was being read.
  if (isGone()) unfollow?.();
  if (!stream) reply.hijack();
  return reply;
}

function bodyOf({ record, queued }: ClaimReply) {
  return queued ? { ...record, request: 'queued' as const } : record;
}
