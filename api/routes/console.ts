/** The console's static files and the widget's module: public, since none of them shows a run. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { isPublic } from '../auth';

/** Where the build puts them, seen from the compiled file and from the source alike. */
export const CONSOLE_FILES = [
  path.resolve(__dirname, '../../console'),
  path.resolve(__dirname, '../../dist/console'),
].find((folder) => existsSync(path.join(folder, 'holdpoint-ask.js')));

/**
 * No inline script and no inline style, nothing from elsewhere, no frame around it. Strings never become markup: the one
 * policy that may make trusted HTML is Lit's, for its own templates.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ');

const VARY = 'Origin, Accept-Encoding';

/** Serves the console at `/` and the widget at `/holdpoint-ask.js`. Without built files there is no such route. */
export function consoleRoutes(files: string | undefined = CONSOLE_FILES): FastifyPluginAsync {
  return async (app) => {
    if (files === undefined) return;
    await app.register(fastifyStatic, { root: files, serve: false, cacheControl: false, preCompressed: true });
    /** Asked for again each time, and not sent again while its ETag is the same. */
    const sendFresh = (reply: FastifyReply, file: string) =>
      reply.header('vary', VARY).header('cache-control', 'no-cache').sendFile(file, { cacheControl: false });
    /** Kept for ever: the name of such a file changes with its content. What is not found is not kept. */
    const sendHashed = (reply: FastifyReply, file: string) =>
      reply.header('vary', VARY).sendFile(file, { cacheControl: true, maxAge: '365d', immutable: true });
    const options = { config: isPublic, schema: { hide: true } };

    app.route({
      method: ['GET', 'HEAD'],
      url: '/',
      ...options,
      handler: async (_request, reply) => {
        void reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
        return sendFresh(reply, 'index.html');
      },
    });
    app.route({
      method: ['GET', 'HEAD'],
      url: '/holdpoint-ask.js',
      ...options,
      handler: async (_request, reply) => {
        // For pages of other origins; which ones may read it is for the list of origins to say.
        void reply.header('cross-origin-resource-policy', 'cross-origin');
        return sendFresh(reply, 'holdpoint-ask.js');
      },
    });
    app.route<{ Params: { file: string } }>({
      method: ['GET', 'HEAD'],
      url: '/assets/:file',
      ...options,
      handler: async (request, reply) => {
        // A name of this form leads to no other folder.
        if (!/^[\w-]+(\.[\w-]+)+$/.test(request.params.file)) return reply.callNotFound();
        return sendHashed(reply, `assets/${request.params.file}`);
      },
    });
  };
}
