/** What an answer over HTTP is recorded with besides its key: the program that it was given through. */
import type { FastifyRequest } from 'fastify';
import { GIVEN_BY, givenBySchema, type Channel, type GivenBy } from '../../workflows/contract';
import { ApiError } from '../errors';

/**
 * Channels that a caller may name. A program that answers are given through may say so; the other channels are doors of
 * their own, and nobody else's to name.
 */
export const NAMED_CHANNELS = ['http', 'cli', 'mcp'] as const satisfies readonly Channel[];

/** Of the headers `Holdpoint-Channel` and `Holdpoint-Given-By`. Throws when one is not what it may be. */
export function namedProvenance({ headers }: FastifyRequest): { channel: Channel; given_by?: GivenBy } {
  const { 'holdpoint-channel': named = 'http', 'holdpoint-given-by': by } = headers;
  const channel = NAMED_CHANNELS.find((known) => known === named);
  if (!channel) throw malformed(`Holdpoint-Channel must be one of ${NAMED_CHANNELS.join(', ')}, or be left out`);
  if (by === undefined) return { channel };
  const given = givenBySchema.safeParse(by);
  if (given.success && channel === 'mcp') return { channel, given_by: given.data };
  throw malformed(`Holdpoint-Given-By must be one of ${GIVEN_BY.join(', ')}, beside Holdpoint-Channel: mcp`);
}

function malformed(message: string): ApiError {
  return new ApiError('malformed_request', message);
}
