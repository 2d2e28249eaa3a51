/** What goes wrong with a model call, classed: what stops the run at once, and what Temporal tries again (and when). */
import { ApplicationFailure } from '@temporalio/common';
import {
  APICallError,
  LoadAPIKeyError,
  LoadSettingError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { firstCharacters } from '../../workflows/contract';
import { keyVariableOf, withoutKeys } from './providers';

/** Longest that a `Retry-After` is obeyed: what asks for more is asked again after this. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1_000;

/** How providers say that the request does not fit the model's context. */
const TOO_LONG =
  /context[_ -]?(length|window|size)|maximum context|too many (input )?tokens|prompt is too long|(input|request|prompt).{0,40}(too long|too large|exceeds?)|exceeds? .{0,40}(token|context)|string_above_max_length/i;
/** Told with 429, but no waiting helps. */
const NO_QUOTA = /insufficient_quota|exceeded your current quota|billing/i;

/**
 * The failure of an activity that asked `model`. `timedOut` says that it was we who gave up. Messages are for the run's
 * record: what to do, the provider's own words, never a key.
 */
export function modelFailure(error: unknown, model: string, timedOut: boolean): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (timedOut) return retryable('model_timed_out', `the model ${model} did not answer in the time it had`);
  if (APICallError.isInstance(error)) return apiFailure(error, model);
  if (LoadAPIKeyError.isInstance(error) || LoadSettingError.isInstance(error)) {
    return final(
      'model_auth_failed',
      `the model ${model} needs ${keyVariableOf(model)} in the environment of the worker`,
    );
  }
  if (NoSuchModelError.isInstance(error)) return final('model_not_found', `there is no model ${model}`);
  if (UnsupportedFunctionalityError.isInstance(error)) {
    return final('model_bad_request', `the model ${model} cannot do what the agent needs: ${words(error)}`);
  }
  // A reply that is no reply: cut off, empty, not JSON. Another try may bring a whole one.
  return retryable('model_bad_response', `the reply of the model ${model} could not be read: ${words(error)}`);
}

function apiFailure(error: APICallError, model: string): ApplicationFailure {
  const { statusCode: status } = error;
  if (status === undefined || status < 300) {
    const code = status === undefined ? 'model_unreachable' : 'model_bad_response';
    return retryable(code, `the model ${model} could not be asked: ${words(error)}`);
  }
  const said = `${error.message} ${error.responseBody ?? ''}`;
  if (status === 401 || status === 403) {
    const key = keyVariableOf(model);
    return final(
      'model_auth_failed',
      `the provider of ${model} refused the key (${status}): check ${key} of the worker`,
    );
  }
  if (status === 413 || ((status === 400 || status === 422 || status === 500) && TOO_LONG.test(said))) {
    const message = `the conversation is too long for the model ${model}: ${words(error)}`;
    return final('context_too_long', message);
  }
  if (status === 429 && NO_QUOTA.test(said)) {
    return final('model_quota_exhausted', `the account behind ${model} has no quota left: ${words(error)}`);
  }
  if (status === 404) return final('model_not_found', `the provider knows no model ${model}: ${words(error)}`);
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) {
    const code = status === 429 ? 'model_rate_limited' : 'model_unavailable';
    return retryable(code, `the provider of ${model} answered ${status}: ${words(error)}`, retryAfterMs(error));
  }
  return final('model_bad_request', `the provider of ${model} refused the request (${status}): ${words(error)}`);
}

/** Milliseconds that a reply asks to wait, by any of its three headers; undefined when it does not say. */
export function retryAfterMs({ responseHeaders }: Pick<APICallError, 'responseHeaders'>): number | undefined {
  const headers = Object.fromEntries(
    Object.entries(responseHeaders ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const exact = Number(headers['retry-after-ms'] || NaN);
  const value = headers['retry-after']?.trim() ?? '';
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : NaN;
  const wait = [exact, seconds, Date.parse(value) - Date.now()].find((ms) => Number.isFinite(ms) && ms >= 0);
  return wait === undefined ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.ceil(wait));
}

function words(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return firstCharacters(withoutKeys(text).replace(/\s+/g, ' ').trim(), 300) || 'it did not say why';
}

function final(type: string, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}

function retryable(type: string, message: string, nextRetryDelay?: number): ApplicationFailure {
  return ApplicationFailure.create({ type, message, ...(nextRetryDelay === undefined ? {} : { nextRetryDelay }) });
}
