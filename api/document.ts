/** The OpenAPI document of the API. */
import fastifySwagger from '@fastify/swagger';
import fastify, { type FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { addCompilers } from './error-handling';
import { transformObject } from './openapi';
import { addRoutes } from './parts';
import type { RunService } from './service/runs';

/** Collects the routes that are added to `app` after this into its document, `app.swagger()`. */
export async function addDocument(app: FastifyInstance, prefix = ''): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Holdpoint',
        version: '1.0.0',
        description: 'Agent runs that wait for people. A run pauses on a question; `resume` answers it.',
      },
      ...(prefix === '' ? {} : { servers: [{ url: prefix }] }),
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject,
  });
}

/**
 * The document of an API below `prefix` in another server, whose own document must know nothing of it: from an app that
 * has the same routes and never listens.
 */
export async function openApiDocument(service: RunService, prefix: string): Promise<object> {
  const app = fastify();
  addCompilers(app);
  await addDocument(app, prefix);
  await addRoutes(app, service);
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}
