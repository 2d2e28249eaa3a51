/** Failures as classes: by the contract's code, and by status for what a newer server may say. */
import * as client from '../../../client';
import { errorOf, HoldpointError } from '../../../client/errors';
import { ERROR_STATUS, TERMINAL_EVENTS } from '../../../workflows/contract';
import { ENDS } from '../../../client/watch';

const reply = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  errorOf(status, new Headers(headers), typeof body === 'string' ? body : JSON.stringify(body));

describe('an error reply', () => {
  test.each(Object.entries(ERROR_STATUS))('%s (%i) carries its code, status and message', (code, status) => {
    const error = reply(status, { error: code, message: 'why' });
    expect(error).toBeInstanceOf(HoldpointError);
    expect({ ...error, message: error.message }).toMatchObject({ code, status, message: 'why', issues: [] });
    // Only what nobody can act upon has no class of its own.
    expect(error.constructor === HoldpointError).toBe(['internal_error', 'unsupported_media_type'].includes(code));
    expect(error.name).toBe(error.constructor.name);
  });

  test('issues and Retry-After are handed on, the latter in seconds also when it is a date', () => {
    const issues = [{ path: 'input.text', code: 'blank', message: 'must not be blank' }];
    expect(reply(422, { error: 'invalid_input', message: 'm', issues }).issues).toEqual(issues);
    expect(reply(503, { error: 'engine_unavailable', message: 'm' }, { 'retry-after': '2' }).retryAfter).toBe(2);
    const date = new Date(Date.now() + 90_000).toUTCString();
    const { retryAfter } = reply(503, { error: 'engine_unavailable', message: 'm' }, { 'retry-after': date });
    expect(retryAfter).toBeGreaterThan(60);
    expect(retryAfter).toBeLessThanOrEqual(90);
  });

  test('a losing answer is a NotWaitingError, whichever code says so, and all of 409 are conflicts', () => {
    for (const code of ['run_not_waiting', 'step_not_waiting', 'ask_mismatch']) {
      expect(reply(409, { error: code, message: 'm' })).toBeInstanceOf(client.NotWaitingError);
    }
    for (const code of ['run_exists', 'idempotency_conflict', 'claimed', 'of_next_year']) {
      const error = reply(409, { error: code, message: 'm' });
      expect(error).toBeInstanceOf(client.ConflictError);
      expect(error).not.toBeInstanceOf(client.NotWaitingError);
      expect(error.code).toBe(code);
    }
  });

  test.each(['', '<html>502</html>', 'null', '[]', '"x"', '{"error":7}', '{"message":"no code"}'])(
    'a body that is none of ours is an UnexpectedReplyError: %s',
    (text) => {
      expect(reply(502, text)).toBeInstanceOf(client.UnexpectedReplyError);
      expect(reply(502, text).message).toContain('502');
    },
  );

  test('a code that names a property of every object is no class', () => {
    expect(reply(400, { error: 'constructor', message: 'm' })).toBeInstanceOf(client.MalformedRequestError);
  });
});

test('the events that end a stream are those of the contract', () => {
  const ends = Object.entries(ENDS).filter(([, ended]) => ended);
  expect(new Set(ends.map(([type]) => type))).toEqual(TERMINAL_EVENTS);
});
