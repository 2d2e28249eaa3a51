/** The Temporal SDK's log as lines of JSON, like the API's: with the id of the run where there is one. */
import type { Logger, LogMetadata } from '@temporalio/worker';
import pino from 'pino';
import type { Settings } from './settings';

/** What the SDK says of a piece of work that is worth keeping; the rest of it is large, or may hold what people wrote. */
const KEPT = [
  'workflowType',
  'activityType',
  'activityId',
  'attempt',
  'taskQueue',
  'namespace',
  'sdkComponent',
] as const;

/**
 * A logger for `Runtime.install`. The SDK tells of every workflow and activity at `info`, which is `debug` here: a line
 * for each is what nobody asked for. Of an error in a run the message is left out, as it can be what an agent or a person
 * said: it is in the run's record and its history.
 */
export function workerLogger(level: Settings['LOG_LEVEL']): Logger {
  const log = pino({ level: level === 'info' ? 'warn' : level }, pino.destination({ dest: 2, sync: true }));
  const write =
    (to: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, meta: LogMetadata = {}) =>
      log[to](fields(meta), message);
  const at = {
    TRACE: write('trace'),
    DEBUG: write('debug'),
    INFO: write('info'),
    WARN: write('warn'),
    ERROR: write('error'),
  };
  return {
    log: (severity, message, meta) => at[severity](message, meta),
    trace: at.TRACE,
    debug: at.DEBUG,
    info: at.INFO,
    warn: at.WARN,
    error: at.ERROR,
  };
}

function fields(meta: LogMetadata): Record<string, unknown> {
  const told: Record<string, unknown> = {};
  if (typeof meta.workflowId === 'string') told.run_id = meta.workflowId;
  for (const name of KEPT) if (meta[name] !== undefined) told[name] = meta[name];
  if (meta.error instanceof Error) told.err = describe(meta.error, told.run_id !== undefined);
  return told;
}

function describe(error: Error, inRun: boolean): Record<string, unknown> {
  const { name, message, stack = '' } = error;
  const { type } = error as { type?: unknown };
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name,
    ...(typeof type === 'string' ? { type } : {}),
    ...(inRun ? {} : { message }),
    stack: frames.join('\n'),
  };
}
