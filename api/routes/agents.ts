/** Routes of a run: start, list, read, answer, cancel, transcript, asks. Thin: each is one call of the service. */
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { isIdempotencyKey, LIMITS, runRecordSchema, startRunSchema } from '../../workflows/contract';
import { principalOf, requires } from '../auth';
import { ApiError } from '../errors';
import type { RunService } from '../service/runs';
import { lookedUpFirst } from './looked-up-first';
import { namedProvenance } from './provenance';
import * as schemas from './schemas';

export const BASE_PATH = '/api/platform/v1';

export function agentRoutes(service: RunService): FastifyPluginAsyncZod {
  return async (app) => {
    app.post('/agents', {
      config: requires('start'),
      schema: {
        summary: 'Start a run',
        description: 'With an `Idempotency-Key` the same request gives the same run again.',
        body: startRunSchema,
        response: { 201: runRecordSchema, ...schemas.errors(400, 409, 413, 415, 422) },
      },
      handler: async (request, reply) => {
        const record = await service.start(principalOf(request), request.body, idempotencyKey(request));
        return reply.code(201).header('location', `${app.prefix}/agents/${record.run_id}`).send(record);
      },
    });

    app.get('/agents', {
      config: requires('read'),
      schema: {
        summary: 'List runs, newest first',
        querystring: schemas.listQuery,
        response: { 200: schemas.runList, ...schemas.errors(400) },
      },
      handler: async (request) => {
        const { limit, cursor, ...filter } = request.query;
        return service.list(principalOf(request), filter, { limit, cursor });
      },
    });

    app.get('/agents/:run_id', {
      config: requires('read'),
      schema: {
        summary: 'Read a run',
        params: schemas.runParams,
        response: { 200: runRecordSchema, ...schemas.errors(400, 404) },
      },
      handler: async (request) => service.read(principalOf(request), request.params.run_id),
    });

    app.post('/agents/:run_id/resume', {
      config: requires('answer'),
      ...lookedUpFirst(service, ({ closed, snapshot }) => !closed && snapshot.pending !== null),
      schema: {
        summary: 'Answer the pending question',
        description:
          'Judged by the run’s `pending_input_schema`. One answer wins; every other one is told 409. 202 says that the ' +
          'answer is durable and waits for a worker. With an `Idempotency-Key` a retry gives the first outcome again.',
        params: schemas.runParams,
        body: schemas.resumeBody,
        response: {
          200: runRecordSchema,
          202: schemas.queuedRun,
          ...schemas.errors(400, 404, 409, 413, 415, 422),
        },
      },
      handler: async (request, reply) => {
        const { record, queued } = await service.resume(principalOf(request), request.params.run_id, {
          input: request.body.input,
          ask_id: request.body.ask_id,
          idempotencyKey: idempotencyKey(request),
          ...namedProvenance(request),
        });
        return queued ? reply.code(202).send({ ...record, answer: 'queued' }) : reply.code(200).send(record);
      },
    });

    app.post('/agents/:run_id/cancel', {
      config: requires('cancel'),
      ...lookedUpFirst(service),
      schema: {
        summary: 'Cancel a run and its descendants',
        params: schemas.runParams,
        body: schemas.cancelBody,
        response: { 202: runRecordSchema, ...schemas.errors(400, 404, 413, 415, 422) },
      },
      handler: async (request, reply) =>
        reply.code(202).send(await service.cancel(principalOf(request), request.params.run_id)),
    });

    app.get('/agents/:run_id/messages', {
      config: requires('read'),
      schema: {
        summary: 'Read the transcript',
        params: schemas.runParams,
        querystring: schemas.messagesQuery,
        response: { 200: schemas.messageList, ...schemas.errors(400, 404) },
      },
      handler: async (request) => {
        const { run_id } = request.params;
        return { run_id, ...(await service.messages(principalOf(request), run_id, request.query)) };
      },
    });

    app.get('/agents/:run_id/asks', {
      config: requires('read'),
      schema: {
        summary: 'List the asks of a run and its descendants, oldest first',
        params: schemas.runParams,
        querystring: schemas.asksQuery,
        response: { 200: schemas.askList, ...schemas.errors(400, 404) },
      },
      handler: async (request) => ({
        asks: await service.asks(principalOf(request), request.params.run_id, request.query.state),
      }),
    });
  };
}

/** The `Idempotency-Key` of a request: 1 to 256 visible ASCII characters. */
function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && isIdempotencyKey(key)) return key;
  const message = `Idempotency-Key must be 1 to ${LIMITS.idempotencyKey} visible ASCII characters`;
  throw new ApiError('malformed_request', message);
}
