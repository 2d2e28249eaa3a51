/** Agent Mission Control (CONTRACT §7, seed "Ask a person mid-run"): what it polls, posts to and watches. */
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { principalOf, requires } from '../auth';
import { lookedUpFirst } from '../routes/looked-up-first';
import { errors, eventsQuery, nothingMore, runParams } from '../routes/schemas';
import type { RunService } from '../service/runs';
import { serveEvents } from '../streams/serve-events';
import { missionEvent, missionEventPage } from './events';
import { missionError, requestOf } from './messages';
import { messageBody, missionEventList, runStatusSchema } from './schemas';
import { statusOf } from './status';

/** At the root: the paths are Mission Control's own. */
export function missionControlRoutes(service: RunService): FastifyPluginAsyncZod {
  return async (app) => {
    app.get('/runs/:run_id/status', {
      config: requires('read'),
      schema: {
        summary: 'Mission Control: status and steps of a run',
        description:
          'While anybody has to answer, `status` is `human_intervention` and exactly one step is `waiting`: the oldest ' +
          'question of the run and its sub-agents, in `delivered`.',
        params: runParams,
        response: { 200: runStatusSchema, ...errors(400, 404) },
      },
      handler: async (request) => statusOf(await service.timeline(principalOf(request), request.params.run_id)),
    });

    app.post('/runs/:run_id/messages', {
      config: requires('answer'),
      ...lookedUpFirst(service, ({ closed }) => !closed),
      schema: {
        summary: 'Mission Control: answer the waiting step',
        description:
          'The text picks the option whose label it is; any other text is a write-in. It goes to whichever run asks. The ' +
          'reply is the status after it. 202: the answer is durable and waits for a worker.',
        params: runParams,
        body: messageBody,
        response: { 200: runStatusSchema, 202: runStatusSchema, ...errors(400, 404, 409, 413, 415, 422) },
      },
      handler: async (request, reply) => {
        const { run_id } = request.params;
        let asker: string | undefined;
        try {
          const { timeline, queued } = await service.answerOldest(principalOf(request), run_id, (run, waiting) => {
            const answer = requestOf(run, waiting, request.body);
            asker = waiting?.asker.runId;
            return answer;
          });
          return await reply.code(queued ? 202 : 200).send(statusOf(timeline));
        } catch (error) {
          throw missionError(error, run_id, asker);
        }
      },
    });

    app.get('/runs/:run_id/events', {
      config: requires('read'),
      schema: {
        summary: 'Mission Control: events of a run, one page or a live stream',
        description: 'As `/agents/{run_id}/events`, in camel case; `step.paused` tells of a pause at once.',
        params: runParams,
        querystring: eventsQuery,
        response: { 200: missionEventList, 204: nothingMore, ...errors(400, 404) },
      },
      handler: async (request, reply) =>
        serveEvents(service, request, reply, { event: missionEvent, page: missionEventPage }),
    });
  };
}
