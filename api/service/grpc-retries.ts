import { isRetryableError, makeGrpcRetryInterceptor, type GrpcRetryOptions } from '@temporalio/client';

type Interceptor = ReturnType<typeof makeGrpcRetryInterceptor>;
type Call = ReturnType<Parameters<Interceptor>[1]>;

// gRPC status code.
const RESOURCE_EXHAUSTED = 8;
const FIRST_PAUSE_MS = 100;
/** The SDK's own first pause is a second: two of those and a resume has used up its time. */
const FIRST_PAUSE_WHEN_BUSY_MS = 40;
const LONGEST_PAUSE_MS = 500;

/**
 * Retries for the connection that a `buildApp` client stands on. With several answers to one run at once the server says
 * RESOURCE_EXHAUSTED for as long as one workflow task takes: it keeps one query waiting for a run, and takes no signal
 * while a run that has just continued as new changes over. So it is asked again soon; each call's deadline is the end.
 */
export function quickRetries(): Interceptor {
  const options: GrpcRetryOptions = {
    delayFunction(attempt, status) {
      const first = Number(status.code) === RESOURCE_EXHAUSTED ? FIRST_PAUSE_WHEN_BUSY_MS : FIRST_PAUSE_MS;
      return Math.min(LONGEST_PAUSE_MS, first * 1.5 ** (attempt - 1)) * (0.8 + Math.random() * 0.4);
    },
    retryableDecider: (attempt, status) => attempt < 30 && isRetryableError(status),
  };
  const retrying = makeGrpcRetryInterceptor(options);
  return (callOptions, nextCall) => {
    let isRetry = false;
    return retrying(callOptions, (of) => {
      if (isRetry) return orNothing(() => nextCall(of));
      isRetry = true;
      return nextCall(of);
    });
  };
}

/**
 * The SDK tries again from a timer. A connection that was closed meanwhile throws there, where nobody catches it and the
 * process dies of it. Who closes a connection waits for no reply any more, so there is none.
 */
function orNothing(call: () => Call): Call {
  try {
    return call();
  } catch {
    const nothing = () => undefined;
    return {
      cancelWithStatus: nothing,
      getPeer: () => '',
      start: nothing,
      sendMessageWithContext: nothing,
      sendMessage: nothing,
      startRead: nothing,
      halfClose: nothing,
      getAuthContext: () => null,
    };
  }
}
