/** Cursors of lists: where a page ended, in a form that is nobody's business but ours. */
import type { z } from 'zod';
import { ApiError } from '../errors';

export function writeCursor(place: object): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The place that a cursor names. Throws `malformed_request` when it is not one of `schema`. */
export function readCursor<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch {
    throw new ApiError('malformed_request', 'cursor is not one that this API gave: leave it out to start over');
  }
}
