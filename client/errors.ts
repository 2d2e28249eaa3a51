/** Every failure of a call as a class of its own, by the code of the reply (CONTRACT §5). */
import type { ContractIssue, ErrorCode } from '../workflows/contract';

/** Codes of failures that never got a reply of the API: these the client gives itself. */
export type ClientErrorCode = 'connection_failed' | 'timed_out' | 'unexpected_reply';

export interface ErrorFacts {
  /** The contract's code, or the client's own. A newer server may send one that is not known here. */
  code: ErrorCode | ClientErrorCode | (string & {});
  message: string;
  /** HTTP status; 0 when there was no reply. */
  status: number;
  issues?: ContractIssue[] | undefined;
  /** Seconds after which the server says a new try makes sense. */
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** What every call of the client throws. Tell failures apart by class, or by `code`. */
export class HoldpointError extends Error {
  readonly code: ErrorFacts['code'];
  readonly status: number;
  /** What is wrong with which field; empty when the reply named none. */
  readonly issues: ContractIssue[];
  readonly retryAfter: number | undefined;

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.code = facts.code;
    this.status = facts.status;
    this.issues = facts.issues ?? [];
    this.retryAfter = facts.retryAfter;
  }
}

/** No reply: the address is wrong, nothing listens there, the network failed, or it took too long. */
export class ConnectionError extends HoldpointError {}
/** A reply that is none of the API's: another server, or a proxy in between. */
export class UnexpectedReplyError extends HoldpointError {}
/** 400: a path, query or body that cannot be read. */
export class MalformedRequestError extends HoldpointError {}
/** 401: no key, or not a valid one. */
export class UnauthorizedError extends HoldpointError {}
/** 403: the key lacks the scope. */
export class ForbiddenError extends HoldpointError {}
/** 404. */
export class NotFoundError extends HoldpointError {}
/** 404: no such run for this key. */
export class RunNotFoundError extends NotFoundError {}
/** 409: what was asked for does not fit the state that the run is in now. */
export class ConflictError extends HoldpointError {}
/** 409: the run, or the step, does not wait for this answer: somebody was first, or it never asked. */
export class NotWaitingError extends ConflictError {}
/** 409: the run waits, with another ask than the one answered. */
export class AskMismatchError extends NotWaitingError {}
/** 409: the chosen run id is taken. */
export class RunExistsError extends ConflictError {}
/** 409: the idempotency key was used with another body. */
export class IdempotencyConflictError extends ConflictError {}
/** 409: somebody else has claimed the ask. */
export class ClaimedError extends ConflictError {}
/** 422: the body does not fit; `issues` says where. The run is as it was. */
export class InvalidInputError extends HoldpointError {}
/** 413: the body is larger than the API takes. */
export class BodyTooLargeError extends HoldpointError {}
/** 429: too many requests with this key. */
export class RateLimitedError extends HoldpointError {}
/** 503: Temporal, or a worker, does not answer at the moment. */
export class EngineUnavailableError extends HoldpointError {}

type ErrorClass = new (facts: ErrorFacts) => HoldpointError;

const BY_CODE: Record<string, ErrorClass> = {
  malformed_request: MalformedRequestError,
  unauthorized: UnauthorizedError,
  forbidden: ForbiddenError,
  not_found: NotFoundError,
  run_not_found: RunNotFoundError,
  run_not_waiting: NotWaitingError,
  step_not_waiting: NotWaitingError,
  ask_mismatch: AskMismatchError,
  run_exists: RunExistsError,
  idempotency_conflict: IdempotencyConflictError,
  claimed: ClaimedError,
  invalid_input: InvalidInputError,
  body_too_large: BodyTooLargeError,
  rate_limited: RateLimitedError,
  engine_unavailable: EngineUnavailableError,
};
/** For codes that a newer server has and this client does not. */
const BY_STATUS: Record<number, ErrorClass> = {
  400: MalformedRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  413: BodyTooLargeError,
  422: InvalidInputError,
  429: RateLimitedError,
  503: EngineUnavailableError,
};

/** The error that a reply with a status of 400 or more stands for. */
export function errorOf(status: number, headers: Headers, text: string): HoldpointError {
  const retryAfter = secondsOf(headers.get('retry-after'));
  const body = bodyOf(text);
  if (!body) {
    const message = `the reply (HTTP ${status}) is not one of the Holdpoint API: check the URL, and what stands in between`;
    return new UnexpectedReplyError({ code: 'unexpected_reply', message, status, retryAfter });
  }
  const known = Object.hasOwn(BY_CODE, body.error) ? BY_CODE[body.error] : BY_STATUS[status];
  const facts = { code: body.error, message: body.message, status, issues: body.issues, retryAfter };
  return new (known ?? HoldpointError)(facts);
}

/** A call that got no reply. */
export function connectionError(url: string, cause: unknown): ConnectionError {
  const message = `no reply from ${url}: check the URL, and that the API runs (${reasonOf(cause)})`;
  return new ConnectionError({ code: 'connection_failed', message, status: 0, cause });
}

export function timedOut(message: string): ConnectionError {
  return new ConnectionError({ code: 'timed_out', message, status: 0 });
}

function bodyOf(text: string): { error: string; message: string; issues?: ContractIssue[] } | null {
  try {
    const body = JSON.parse(text) as { error?: unknown; message?: unknown; issues?: unknown } | null;
    if (typeof body?.error !== 'string') return null;
    const message = typeof body.message === 'string' ? body.message : body.error;
    const issues = Array.isArray(body.issues) ? (body.issues as ContractIssue[]) : [];
    return { error: body.error, message, issues };
  } catch {
    return null;
  }
}

/** `Retry-After` in seconds; as a date it is taken for the time that is left until then. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

/** Node's fetch says only "fetch failed" and keeps the reason as a cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause as { code?: unknown; message?: unknown } | undefined;
  const reason = inner?.code ?? inner?.message;
  return typeof reason === 'string' ? reason : error.message;
}
