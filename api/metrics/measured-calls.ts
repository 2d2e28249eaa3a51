/** Measures every call that a connection to Temporal makes, each try of it. */
import type { ConnectionOptions } from '@temporalio/client';
import type { ApiMetrics } from './api-metrics';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/** Names of gRPC's status codes, by number. */
const CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
/** Waits for news for up to a minute, and is given up when the last watcher leaves: neither says anything of Temporal. */
const LONG_POLL = 'GetWorkflowExecutionHistory';
const ENDS_OF_A_POLL: ReadonlySet<string> = new Set(['CANCELLED', 'DEADLINE_EXCEEDED']);

/** Goes last among a connection's interceptors: behind `quickRetries`, so that it sees what each try came to. */
export function measuredCalls(metrics: ApiMetrics): Interceptor {
  return (options, nextCall) => {
    const method = options.method_definition.path.split('/').at(-1) ?? '';
    const call = nextCall(options);
    const start = call.start.bind(call);
    call.start = (metadata, listener) => {
      const startedAt = performance.now();
      start(metadata, {
        onReceiveMetadata: (received) => listener?.onReceiveMetadata?.(received),
        onReceiveMessage: (message) => listener?.onReceiveMessage?.(message),
        onReceiveStatus: (status) => {
          const isPoll = method === LONG_POLL;
          const code = CODES[status.code] ?? 'UNKNOWN';
          const failed = code !== 'OK' && !(isPoll && ENDS_OF_A_POLL.has(code));
          metrics.call(method, isPoll ? null : (performance.now() - startedAt) / 1_000, failed ? code : null);
          listener?.onReceiveStatus?.(status);
        },
      });
    };
    return call as ReturnType<Interceptor>;
  };
}
