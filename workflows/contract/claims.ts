/**
 * Claims: who means to answer a pending ask, and until when. While one holds, nobody else's answer is taken. A claim
 * ends by its time, by a release, or with the ask; it ends by time without an event: whoever looks works that out.
 */
import { z } from 'zod';
import { durationBetween, durationMs } from './durations';

export const CLAIM_FOR = { default: '15m', min: '1s', max: '24h' } as const;

export const claimSchema = z
  .strictObject({
    ask_id: z.string(),
    /** The name of the API key, or whatever name a raw signal gave. */
    by: z.string(),
    until: z.string(),
  })
  .meta({ id: 'Claim', description: 'Who holds a pending ask, and until when.' });
export type Claim = z.infer<typeof claimSchema>;

/** Who holds an ask, beside the ask itself. */
export const holderSchema = claimSchema.omit({ ask_id: true });
export type Holder = z.infer<typeof holderSchema>;

export function holderOf(claim: Claim | null): Holder | null {
  return claim && { by: claim.by, until: claim.until };
}

/** How long a claim may be asked for. */
export const claimForSchema = durationBetween(CLAIM_FOR.min, CLAIM_FOR.max);

/** The claim of somebody on an ask from `now` (ISO 8601) on. */
export function claimOf(askId: string, by: string, now: string, claimFor: string | undefined): Claim {
  const ms = durationMs(claimFor ?? CLAIM_FOR.default) ?? 0;
  return { ask_id: askId, by, until: new Date(Date.parse(now) + ms).toISOString() };
}

/** The claim as it counts at `now` (ISO 8601): null when it is over, or is on another ask than the pending one. */
export function liveClaim(
  claim: Claim | null | undefined,
  pending: { ask_id: string } | null,
  now: string,
): Claim | null {
  if (!claim || claim.ask_id !== pending?.ask_id) return null;
  return Date.parse(claim.until) > Date.parse(now) ? claim : null;
}

/** True when a live claim keeps this principal from answering, claiming or releasing. Who has no name holds nothing. */
export function isHeldByAnother<Held extends Holder>(
  claim: Held | null,
  principal: string | null | undefined,
): claim is Held {
  return claim !== null && claim.by !== principal;
}
