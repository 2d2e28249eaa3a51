/** The inbox, one JSON page or a stream of it, and who means to answer what: claim and release. */
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { runRecordSchema } from '../../workflows/contract';
import { principalOf, requires } from '../auth';
import type { ClaimReply } from '../service/claim';
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

    const decided = {
      200: runRecordSchema,
      202: schemas.queuedRequest,
      ...schemas.errors(400, 404, 409, 413, 415, 422),
    };
    app.post('/agents/:run_id/claim', {
      config: requires('answer'),
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

function bodyOf({ record, queued }: ClaimReply) {
  return queued ? { ...record, request: 'queued' as const } : record;
}
