import { ERROR_STATUS, type Claim, type ContractIssue, type ErrorBody, type ErrorCode } from '../workflows/contract';

/** An error that the caller is told: its code decides the HTTP status (CONTRACT §5). */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly issues?: ContractIssue[],
    /** For the log alone. */
    cause?: unknown,
  ) {
    super(message, { cause });
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }

  get body(): ErrorBody {
    const body: ErrorBody = { error: this.code, message: this.message };
    return this.issues && this.issues.length > 0 ? { ...body, issues: this.issues } : body;
  }
}

/** One and the same reply for an unknown id, another workspace's run and a workflow that is no run. */
export function runNotFound(cause?: unknown): ApiError {
  return new ApiError('run_not_found', 'there is no such run', undefined, cause);
}

export function runNotWaiting(): ApiError {
  return new ApiError('run_not_waiting', 'the run is not waiting for an answer: read it to see its state');
}

export function askMismatch(pendingAskId: string | null): ApiError {
  const now = pendingAskId === null ? 'the run waits for nothing now' : `the run waits with ${pendingAskId} now`;
  return new ApiError('ask_mismatch', `the question that this is for is closed: ${now}`);
}

/** Somebody else holds the ask; null when they did and it is over by now. */
export function claimedByAnother(claim: Claim | null): ApiError {
  const who = claim === null ? 'somebody else had claimed it' : `${claim.by} has claimed it until ${claim.until}`;
  return new ApiError('claimed', `${who}: try again when the claim is over or released`);
}

export function engineUnavailable(cause?: unknown): ApiError {
  const message = 'Temporal, or a worker, does not answer: try again in a moment';
  return new ApiError('engine_unavailable', message, undefined, cause);
}

/** For `catch`: null in place of an error with this code; every other error is thrown on. */
export function nullWhen(code: ErrorCode): (error: unknown) => null {
  return (error) => {
    if (error instanceof ApiError && error.code === code) return null;
    throw error;
  };
}

/** Seconds that a caller should wait before it tries an unavailable engine again. */
export const RETRY_AFTER_SECONDS = 2;

export function unsupportedMediaType(): ApiError {
  return new ApiError('unsupported_media_type', 'send JSON, with Content-Type: application/json');
}
