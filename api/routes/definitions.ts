/** `GET /definitions`: the agents that can be started. */
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { requires } from '../auth';
import type { RunService } from '../service/runs';
import * as schemas from './schemas';

export function definitionRoutes(service: RunService): FastifyPluginAsyncZod {
  return async (app) => {
    app.get('/definitions', {
      config: requires('read'),
      schema: {
        summary: 'List the agents that can be started',
        description: 'Each with what it takes as input, its model, sub-agents and tools.',
        response: { 200: schemas.definitionList, ...schemas.errors() },
      },
      handler: async () => ({ definitions: service.definitions() }),
    });
  };
}
