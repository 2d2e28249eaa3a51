/** Temporal's failures as the contract tells them: a code and a message, never a stack trace. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TemporalFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import type { RunError } from './contract';

/**
 * The error of a run or a tool from a failure of Temporal's. Anything else is a bug in workflow code: it is thrown on,
 * so that the workflow task is retried until mended code is deployed.
 */
export function runErrorOf(failure: unknown): RunError {
  if (!(failure instanceof TemporalFailure)) throw failure;
  const cause = failure instanceof ActivityFailure || failure instanceof ChildWorkflowFailure ? failure.cause : failure;
  if (cause instanceof ApplicationFailure) {
    return { code: cause.type ?? 'failed', message: cause.message || 'failed without a message' };
  }
  if (cause instanceof CancelledFailure) return { code: 'cancelled', message: 'was cancelled' };
  if (cause instanceof TerminatedFailure) return { code: 'terminated', message: 'was terminated' };
  if (cause instanceof TimeoutFailure) return timeoutOf(cause);
  return { code: 'failed', message: failure.message };
}

/** Missed heartbeats are no lack of time: whoever was at work is gone, or hangs. */
function timeoutOf({ timeoutType }: TimeoutFailure): RunError {
  if (timeoutType !== 'HEARTBEAT') return { code: 'timed_out', message: 'did not end in the time it had' };
  return { code: 'worker_lost', message: 'its worker gave no more sign of life: it ended or hung' };
}

/** True when a sub-agent or activity ended because it was cancelled. */
export function wasCancelled(failure: unknown): boolean {
  return (
    failure instanceof CancelledFailure ||
    ((failure instanceof ChildWorkflowFailure || failure instanceof ActivityFailure) &&
      failure.cause instanceof CancelledFailure)
  );
}
