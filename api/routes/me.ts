/** `GET /me`: what a page needs to know of the key it was given, and where Temporal's Web UI is. */
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { principalOf } from '../auth';
import { SCOPES } from '../keys';
import * as schemas from './schemas';

const callerSchema = z
  .strictObject({
    name: z.string(),
    workspace: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    temporal_ui: z.string().nullable().meta({
      description: 'Where a run’s workflow is in Temporal’s Web UI: its workflow id comes behind. Null when not set.',
    }),
  })
  .meta({ id: 'Caller' });

/** Where the workflows of a namespace are in Temporal's Web UI, which is at `ui`. */
export function workflowsAddress(ui: string | undefined, namespace: string): string | undefined {
  return ui && `${ui.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/`;
}

export function meRoutes({ temporalUi }: { temporalUi?: string | undefined }): FastifyPluginAsyncZod {
  return async (app) => {
    app.get('/me', {
      schema: {
        summary: 'Who the key is',
        description: 'Any valid key may ask, whatever its scopes.',
        response: { 200: callerSchema, ...schemas.errors() },
      },
      handler: async (request) => {
        const { name, workspace, scopes } = principalOf(request);
        return {
          name,
          workspace,
          scopes: SCOPES.filter((scope) => scopes.has(scope)),
          temporal_ui: temporalUi ?? null,
        };
      },
    });
  };
}
