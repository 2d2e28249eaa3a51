/** `/mcp`: the tools over streamable HTTP. Each request is served by itself, so that any API process can take the next one. */
import {
  createMcpHandler,
  localhostAllowedOrigins,
  validateOriginHeader,
  type AuthInfo,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { principalOf } from '../auth';
import { ApiError, unsupportedMediaType } from '../errors';
import type { Principal } from '../keys';
import * as schemas from '../routes/schemas';
import type { RunService } from '../service/runs';
import { mcpServer } from './server';
import { serviceDoor } from './service-door';

/** How long a call that was waiting has to say where its run stands, once the process is told to stop. */
const GRACE_MS = 3_000;

const message = z.unknown().meta({ description: 'One JSON-RPC 2.0 message of the Model Context Protocol.' });

export function mcpRoutes(service: RunService): FastifyPluginAsyncZod {
  return async (app) => {
    const mcp = createMcpHandler(
      ({ authInfo }) =>
        mcpServer(serviceDoor(service, callerIn(authInfo)), (err) => app.log.error({ err }, 'MCP tool failed')),
      // What a client does wrong it is told.
      { onerror: (err) => app.log.debug({ err }, 'MCP request refused') },
    );
    app.addHook('preClose', async () => void setTimeout(() => void mcp.close(), GRACE_MS).unref());

    const serve = async (request: FastifyRequest, reply: FastifyReply) => {
      checkOrigin(request, reply);
      // A body of another type has not come this far, one that is not there has.
      if (request.method === 'POST' && request.headers['content-type'] === undefined) {
        throw unsupportedMediaType();
      }
      // As old as they are rare, and each would be many calls for one under the rate limit.
      if (Array.isArray(request.body) && request.body.length > 1) {
        throw new ApiError('malformed_request', 'send one message a request: batches are not taken');
      }
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const authInfo = authInfoOf(principalOf(request));
      const reached = new Request('http://localhost/mcp', {
        method: request.method,
        headers: headersOf(request),
        signal: gone.signal,
      });
      return reply.send(await mcp.fetch(reached, { authInfo, parsedBody: request.body }));
    };
    app.post('/mcp', {
      schema: {
        summary: 'Model Context Protocol, over streamable HTTP',
        description:
          'Tools for models: see docs/mcp.md. Each call needs the scope of what it does. What the protocol itself refuses is ' +
          'a JSON-RPC error; what comes before it (key, rate, size, JSON) is an error like everywhere.',
        body: message,
        response: {
          200: message,
          202: schemas.nothingMore.meta({ description: 'A notification was taken.' }),
          ...schemas.errors(403, 413, 415),
          400: message.meta({ description: 'A JSON-RPC error, or what is no JSON.' }),
          404: message.meta({ description: 'A JSON-RPC error: there is no such method.' }),
          406: message.meta({ description: 'A JSON-RPC error: accept application/json and text/event-stream.' }),
        },
      },
      handler: serve,
    });
    // Sessions of older revisions, which this server has none of: the library says so.
    for (const method of ['GET', 'DELETE'] as const) {
      const summary = `Model Context Protocol: ${method === 'GET' ? 'opening' : 'ending'} a session, which there are none of`;
      const response = { ...schemas.errors(403), 405: message.meta({ description: 'A JSON-RPC error: use POST.' }) };
      app.route({ method, url: '/mcp', schema: { summary, response }, handler: serve });
    }
  };
}

/** Pages of another host may not call, unless the API lets them in anyway. Programs send no origin. */
function checkOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.hasHeader('access-control-allow-origin')) return;
  const allowed = [...localhostAllowedOrigins(), request.hostname];
  if (!validateOriginHeader(request.headers.origin, allowed).ok) {
    throw new ApiError('forbidden', 'a page of another host may not call this');
  }
}

/** What the protocol reads of a request's headers; the key stays here. */
function headersOf({ headers }: FastifyRequest): Headers {
  const told = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && /^(accept|content-type|last-event-id|mcp-.*)$/.test(name)) told.set(name, value);
  }
  return told;
}

/** The library hands this on as it is. */
function authInfoOf(principal: Principal): AuthInfo {
  return { token: '', clientId: principal.name, scopes: [...principal.scopes], extra: { principal } };
}

function callerIn(authInfo: AuthInfo | undefined): Principal {
  return authInfo?.extra?.principal as Principal;
}
