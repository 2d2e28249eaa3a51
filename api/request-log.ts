/**
 * One line of log and one measurement for each request: what was called, by which key, on which run and ask, and how it
 * ended. Never a path as it was sent, a body, a question, an answer or a key.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isRunId } from '../workflows/contract';
import { callerOf } from './auth';
import type { ApiMetrics } from './metrics/api-metrics';

/** What is found out about a request while it is worked on. */
export interface RequestNotes {
  run_id?: string;
  ask_id?: string;
  /** The code of the error that it ended with. */
  error?: string;
}

const current = new AsyncLocalStorage<RequestNotes>();
const notesOf = new WeakMap<FastifyRequest, RequestNotes>();

/** Notes something about the request that is being worked on; outside of one it does nothing. */
export function note(notes: RequestNotes): void {
  Object.assign(current.getStore() ?? {}, notes);
}

/** The same, where the request is at hand. */
export function noteOn(request: FastifyRequest, notes: RequestNotes): void {
  Object.assign(notesOf.get(request) ?? {}, notes);
}

/** Adds the line, and the measurement where there are `metrics`, to every route that comes after. */
export function addRequestLog(app: FastifyInstance, metrics?: ApiMetrics): void {
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    const notes: RequestNotes = {};
    notesOf.set(request, notes);
    // Also for a stream whose client leaves, which no hook of the framework hears of.
    reply.raw.once('close', () => {
      const route = request.routeOptions.url ?? 'none';
      const { method } = request;
      const status = reply.raw.statusCode;
      const milliseconds = performance.now() - startedAt;
      metrics?.request({ method, route, status }, milliseconds / 1_000);
      const line = { method, route, status, ms: Math.round(milliseconds), ...ids(request), ...notes };
      const isProbe = request.routeOptions.config.access === 'public' || route === '/metrics';
      request.log[isProbe ? 'debug' : 'info'](line, 'request');
    });
    current.run(notes, done);
  });
  // Reading a body loses the context that the request began in.
  app.addHook('preValidation', (request, _reply, done) => current.run(notesOf.get(request) ?? {}, done));
}

/** The run of the path, and the name of the key. */
function ids(request: FastifyRequest): { run_id?: string; key?: string } {
  const { run_id } = (request.params ?? {}) as { run_id?: unknown };
  const caller = callerOf(request);
  return {
    ...(typeof run_id === 'string' && isRunId(run_id) ? { run_id } : {}),
    ...(caller ? { key: caller.name } : {}),
  };
}
