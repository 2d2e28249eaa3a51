/** Error codes of the HTTP API and the one form in which errors are told (CONTRACT §5). */
import { z } from 'zod';

export const issueSchema = z.strictObject({ path: z.string(), code: z.string(), message: z.string() });
/** One thing wrong with a body: where (dotted path, empty for the whole), a code, and what to do. */
export type ContractIssue = z.infer<typeof issueSchema>;

/** HTTP status of each code. */
export const ERROR_STATUS = {
  malformed_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  run_not_found: 404,
  run_not_waiting: 409,
  ask_mismatch: 409,
  claimed: 409,
  step_not_waiting: 409,
  run_exists: 409,
  idempotency_conflict: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_input: 422,
  rate_limited: 429,
  internal_error: 500,
  engine_unavailable: 503,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;

export const errorBodySchema = z
  .strictObject({
    error: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    issues: z.array(issueSchema).optional(),
  })
  .meta({ id: 'Error', description: 'Every error has this form.' });
export type ErrorBody = z.infer<typeof errorBodySchema>;
