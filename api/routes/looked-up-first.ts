/** The order in which a request about a run is judged (CONTRACT §5): the run is looked up, and then the body is judged. */
import type { FastifyRequest } from 'fastify';
import { principalOf } from '../auth';
import { runNotWaiting } from '../errors';
import type { FoundRun } from '../service/lookup';
import type { RunService } from '../service/runs';

/**
 * Route options with which a body that its schema refuses is told only of a run that is there: else it is 404, whatever was
 * sent, and 409 for one that cannot be waiting for an answer. A good body costs nothing more: the service looks the run up
 * itself.
 */
export function lookedUpFirst(service: RunService, mayWait: (run: FoundRun) => boolean = () => true) {
  return {
    attachValidation: true,
    preHandler: async (request: FastifyRequest): Promise<void> => {
      const fault = request.validationError;
      if (!fault) return;
      if (fault.validationContext === 'body') {
        const { run_id } = request.params as { run_id: string };
        const run = await service.find(principalOf(request), run_id);
        if (!mayWait(run)) throw runNotWaiting();
      }
      throw fault;
    },
  };
}
