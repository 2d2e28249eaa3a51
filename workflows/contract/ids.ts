/** How things are named on the wire (CONTRACT §1). */
import { LIMITS } from './limits';

/** A run's public id, which is its Temporal workflow id. */
export const RUN_ID_PATTERN = '^[A-Za-z0-9_-]{1,64}$';
const runId = new RegExp(RUN_ID_PATTERN);

/** The option that the platform adds to every multiple-choice ask. Reserved: no other option has it. */
export const OTHER_OPTION_ID = 'other';
export const OTHER_OPTION_LABEL = 'Other';

/** True for a string that can name a run. */
export function isRunId(value: string): boolean {
  return runId.test(value);
}

/**
 * A new run id from a UUID: `run_` and its 32 hex digits. The UUID comes from the caller, because sandbox code takes
 * its randomness from the workflow and Node code from `node:crypto`.
 */
export function runIdFromUuid(uuid: string): string {
  return `run_${uuid.replace(/-/g, '').toLowerCase()}`;
}

/** The id of the n-th ask of a run, counted from 1. */
export function askId(n: number): string {
  return `q${n}`;
}

/** The id of the k-th option, counted from 1, of an ask: unknown in every other ask. */
export function optionId(ask: string, k: number): string {
  return `${ask}_o${k}`;
}

const idempotencyKey = /^[\x20-\x7e]*[\x21-\x7e][\x20-\x7e]*$/;

/** True for an `Idempotency-Key`: 1 to 256 ASCII characters that a header takes, one of them visible at least. */
export function isIdempotencyKey(value: string): boolean {
  return value.length <= LIMITS.idempotencyKey && idempotencyKey.test(value);
}
