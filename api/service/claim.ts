/** `POST /agents/{id}/claim` and `/release`: look up, signal, read the verdict back, as an answer does. */
import { randomUUID } from 'node:crypto';
import {
  isHeldByAnother,
  SIGNALS,
  type Claim,
  type ClaimOutcome,
  type ClaimOutcomeReply,
  type ClaimSignal,
  type ReleaseSignal,
  type RunRecord,
} from '../../workflows/contract';
import { ApiError, askMismatch, claimedByAnother, nullWhen, runNotWaiting } from '../errors';
import type { Principal } from '../keys';
import type { TemporalGateway } from './gateway';
import { claimOn, type FoundRun } from './lookup';
import { recordInAnyCase } from './record';
import { verdictOf } from './verdict';

export interface ClaimRequest {
  ask_id: string;
  /** A duration such as "15m", within `CLAIM_FOR`. */
  for?: string | undefined;
}

/** `queued`: no worker has answered yet; the signal is durable and will be judged when one does. */
export type ClaimReply = { record: RunRecord; queued: boolean };

/** Claims the pending ask of a found run for the caller, or prolongs the caller's claim on it, from now on. */
export function claimAsk(
  gateway: TemporalGateway,
  principal: Principal,
  run: FoundRun,
  request: ClaimRequest,
): Promise<ClaimReply> {
  const more = request.for === undefined ? {} : { for: request.for };
  return decide(gateway, run, 'claim', { ask_id: request.ask_id, principal: principal.name, ...more });
}

/** Gives the caller's claim back. An ask that nobody holds is released already; another one's claim is 409. */
export function releaseAsk(
  gateway: TemporalGateway,
  principal: Principal,
  run: FoundRun,
  request: Pick<ClaimRequest, 'ask_id'>,
): Promise<ClaimReply> {
  return decide(gateway, run, 'release', { ask_id: request.ask_id, principal: principal.name });
}

/**
 * Temporal takes 10,000 signals for one execution, and a run that waits cannot continue as new. Claims are the only ones
 * that a caller may repeat at will, so above this many events they are refused: the answer must still get through.
 */
const CLAIM_HISTORY = 20_000;

async function decide(
  gateway: TemporalGateway,
  run: FoundRun,
  kind: 'claim' | 'release',
  request: ClaimSignal | ReleaseSignal,
): Promise<ClaimReply> {
  const { pending } = run.snapshot;
  if (run.closed || !pending) throw runNotWaiting();
  if (request.ask_id !== pending.ask_id) throw askMismatch(pending.ask_id);
  const held = claimOn(run.snapshot);
  if (isHeldByAnother(held, request.principal)) throw claimedByAnother(held);
  if (run.historyLength >= CLAIM_HISTORY) {
    throw new ApiError('rate_limited', 'this run has been claimed too often: it can still be answered');
  }
  const signal = { ...request, claim_id: randomUUID() };
  if (!(await gateway.signal(run.runId, SIGNALS[kind].name, signal))) throw runNotWaiting();
  const args = { claim_id: signal.claim_id };
  const asked = verdictOf<ClaimOutcomeReply>(gateway, run.runId, 'claimOutcome', args);
  const reply = await asked.catch(nullWhen('engine_unavailable'));
  if (!reply?.outcome) return { record: await recordInAnyCase(gateway, run), queued: true };
  refuse(reply.outcome, reply.snapshot.pending?.ask_id ?? null);
  return { record: await recordInAnyCase(gateway, { ...run, snapshot: reply.snapshot }), queued: false };
}

/** Throws what the caller is told, unless the run took it. */
function refuse({ verdict, claim }: Pick<ClaimOutcome, 'verdict'> & { claim: Claim | null }, pendingId: string | null) {
  if (verdict === 'claimed') throw claimedByAnother(claim);
  if (verdict === 'ask_mismatch') throw askMismatch(pendingId);
  if (verdict === 'run_not_waiting') throw runNotWaiting();
  // Its form was judged by the route's schema: only a run of another release can think otherwise.
  if (verdict === 'invalid_input') throw new ApiError('invalid_input', 'the run does not take such a claim');
}
