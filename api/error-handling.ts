/** Every error of the API as JSON with a code and a message that says what to do, and never a stack trace. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import type { Socket } from 'node:net';
import type { z } from 'zod';
import { contractIssue, type ContractIssue } from '../workflows/contract';
import { unauthorized } from './auth';
import { ApiError, RETRY_AFTER_SECONDS, unsupportedMediaType } from './errors';
import type { KeyRing } from './keys';
import { noteOn } from './request-log';

/** A body, query or path that its schema refuses. Fastify notes which of them on the error. */
class SchemaError extends Error {
  validationContext?: string;

  constructor(readonly issues: ContractIssue[]) {
    super('does not fit the schema');
  }
}

/** Judges by zod. The type provider's own compiler leaves out where the fault is. */
const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
  return (data) => {
    const parsed = schema.safeParse(data);
    return parsed.success ? { value: parsed.data } : { error: new SchemaError(parsed.error.issues.map(contractIssue)) };
  };
};

/** How zod schemas are used: they judge requests; replies are built from typed records and only documented by them. */
export function addCompilers(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
}

/** With `notFound` it is for us to say what there is not; at the root of a host's server it is not. */
export function addErrorHandling(app: FastifyInstance, options: { notFound: boolean }): void {
  // Node would refuse it by itself, without a word of JSON.
  app.addHook('onRequest', async ({ raw }) => {
    if (raw.headers.host === undefined && raw.httpVersion === '1.1') {
      throw new ApiError('malformed_request', 'the Host header is missing');
    }
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const told = apiErrorOf(error, request);
    if (told.status >= 500) request.log.error({ err: error }, 'request failed');
    return sendError(reply, told);
  });
  if (!options.notFound) return;
  app.setNotFoundHandler((request, reply) => {
    const message = `there is no ${request.method} ${pathOf(request)}: see /docs`;
    return sendError(reply, new ApiError('not_found', message));
  });
}

/** Node would refuse an unknown expectation by itself, without a word of JSON. */
export function takeAnyExpectation(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response));
}

/** Errors of the framework itself, such as a path that cannot be decoded: they come before any hook. */
export function frameworkErrors(keys: KeyRing) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const known = keys.authenticate(request.headers.authorization);
    void sendError(reply, known ? apiErrorOf(error, request) : unauthorized());
  };
}

/** What cannot even be read as HTTP. There is no request yet, so the reply is written by hand. */
export function clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const message = tooLarge ? 'the headers are too large' : 'this is not a well-formed HTTP request';
  const body = JSON.stringify({ error: 'malformed_request', message });
  const head = [
    tooLarge ? 'HTTP/1.1 431 Request Header Fields Too Large' : 'HTTP/1.1 400 Bad Request',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  noteOn(reply.request, { error: error.code });
  if (error.code === 'unauthorized') void reply.header('www-authenticate', 'Bearer');
  if (error.code === 'engine_unavailable') void reply.header('retry-after', RETRY_AFTER_SECONDS);
  return reply.code(error.status).type('application/json; charset=utf-8').send(JSON.stringify(error.body));
}

function apiErrorOf(error: FastifyError | ApiError | SchemaError, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof SchemaError) return validationError(error);
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('body_too_large', `the body is larger than ${request.routeOptions.bodyLimit / 1024} KiB`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType();
    case 'FST_ERR_BAD_URL':
      return new ApiError('malformed_request', 'the path cannot be decoded');
  }
  // Of a host's own hooks and checks.
  if (error.statusCode === 401) return unauthorized();
  if (error.statusCode === 403) return new ApiError('forbidden', error.message);
  if (error.statusCode === 429) return new ApiError('rate_limited', 'too many requests: slow down');
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ApiError('malformed_request', error.message);
  }
  return new ApiError('internal_error', 'something went wrong here: it is in the log');
}

function validationError({ issues, validationContext }: SchemaError): ApiError {
  if (validationContext === 'body') {
    return new ApiError('invalid_input', 'the body is not what this call takes: see issues', issues);
  }
  const where = validationContext === 'querystring' ? 'query' : 'path';
  return new ApiError('malformed_request', `the ${where} is not what this call takes: see issues`, issues);
}

function pathOf(request: FastifyRequest): string {
  return (request.url.split('?')[0] ?? '').slice(0, 200);
}
