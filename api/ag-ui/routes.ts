/** `POST /ag-ui/{agent}`: the AG-UI protocol, 1.0. A door onto the same service: start, follow, answer. */
import { EventType, PROTOCOL_VERSION } from '@ag-ui/core';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { LIMITS } from '../../workflows/contract';
import { principalOf, requires, requireScope } from '../auth';
import { ApiError, nullWhen, runNotFound } from '../errors';
import type { Principal } from '../keys';
import * as schemas from '../routes/schemas';
import type { FoundRun } from '../service/lookup';
import type { RunService } from '../service/runs';
import { SseStream } from '../streams/sse';
import { hasNewUserMessage, runAgentInput, startOf, type RunAgentInput } from './input';
import { Segment } from './segment';

export function agUiRoutes(service: RunService): FastifyPluginAsyncZod {
  return async (app) => {
    const open = new Set<Segment>();
    app.addHook('preClose', async () => open.forEach((segment) => segment.stop()));

    app.post('/ag-ui/:agent', {
      config: requires('read'),
      bodyLimit: LIMITS.agUiBodyBytes,
      schema: {
        summary: 'AG-UI: start, follow or answer a conversation',
        description:
          'One run of the AG-UI protocol 1.0. `threadId` is the id of our run: an unknown one starts it, a known one goes ' +
          'on with it. Questions end the stream with an `interrupt` outcome, and `resume` answers them.',
        params: z.object({ agent: z.string() }),
        body: runAgentInput,
        response: {
          200: {
            description: 'A stream of AG-UI events.',
            content: { 'text/event-stream': { schema: z.string() } },
          },
          ...schemas.errors(400, 409, 413, 415, 422),
        },
      },
      handler: async (request, reply) => {
        const principal = principalOf(request);
        const input = request.body;
        const { run, isNew } = await runOf(service, principal, request.params.agent, input);

        reply.hijack();
        let onGone = (): void => undefined;
        const stream = new SseStream(reply.raw, reply.getHeaders(), () => onGone());
        if (!run) {
          refuse(stream, input, runNotFound());
          return reply;
        }
        const log = (error: unknown) =>
          request.log.error({ err: error, run_id: run.runId }, 'a segment of AG-UI failed');
        const segment = new Segment(service, principal, run, input, stream, log);
        onGone = () => segment.stop();
        open.add(segment);
        // The client may have left while the run was looked up. (A request that was read whole is always destroyed.)
        if (reply.raw.destroyed) segment.stop();
        await segment.play(isNew);
        open.delete(segment);
        return reply;
      },
    });
  };
}

/**
 * The run that the request is about, started if there is none; null for answers to a run that is not there. Everything
 * that is thrown is told before the stream begins.
 */
async function runOf(
  service: RunService,
  principal: Principal,
  agent: string,
  input: RunAgentInput,
): Promise<{ run: FoundRun | null; isNew: boolean }> {
  const { threadId, resume = [] } = input;
  if (resume.length > 0) requireScope(principal, 'answer');
  const known = await service.find(principal, threadId).catch(nullWhen('run_not_found'));
  if (known) return { run: goesOn(known, agent, input), isNew: false };
  if (resume.length > 0) return { run: null, isNew: false };

  requireScope(principal, 'start');
  try {
    await service.start(principal, startOf(agent, input));
    return { run: await service.find(principal, threadId), isNew: true };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'run_exists') throw error;
    // Started by the same request, sent twice at once; any other owner of the id is none of the caller's business.
    const other = await service.find(principal, threadId).catch(nullWhen('run_not_found'));
    if (!other) throw error;
    return { run: goesOn(other, agent, input), isNew: false };
  }
}

function goesOn(run: FoundRun, agent: string, input: RunAgentInput): FoundRun {
  if (run.identity.agent !== agent) {
    throw new ApiError('run_exists', 'this threadId is a run of another agent: choose another threadId');
  }
  if (run.closed && (input.resume ?? []).length === 0 && hasNewUserMessage(input.messages)) {
    throw new ApiError('run_exists', 'the run of this threadId is over: start a new thread for a new message');
  }
  return run;
}

function refuse(stream: SseStream, { threadId, runId }: RunAgentInput, error: ApiError): void {
  const started = { type: EventType.RUN_STARTED, threadId, runId, protocolVersion: PROTOCOL_VERSION };
  stream.sendData(started.type, started);
  stream.sendData(EventType.RUN_ERROR, { type: EventType.RUN_ERROR, code: error.code, message: error.message });
  stream.end();
}
