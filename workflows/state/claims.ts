import { claimOf, isHeldByAnother, type Claim } from '../contract/claims';
import { LIMITS } from '../contract/limits';
import {
  claimIdSchema,
  claimSignalSchema,
  releaseSignalSchema,
  type ClaimOutcome,
  type ClaimSignal,
  type ReleaseSignal,
} from '../contract/messages';
import type { RunState } from './run-state';

export interface ClaimsData {
  /** The newest claim on the pending ask; it may be over by now. */
  held: Claim | null;
  outcomes: ClaimOutcome[];
}

export function emptyClaims(): ClaimsData {
  return { held: null, outcomes: [] };
}

/** Who holds a run's pending ask, and what became of claims and releases: of the last 100, by the id they came with. */
export class Claims {
  constructor(private readonly data: ClaimsData) {}

  /** The newest claim, over or not. */
  get held(): Claim | null {
    return this.data.held;
  }

  hold(claim: Claim | null): void {
    this.data.held = claim;
  }

  find(claimId: string): ClaimOutcome | null {
    return this.data.outcomes.find((outcome) => outcome.claim_id === claimId) ?? null;
  }

  record(outcome: ClaimOutcome): void {
    this.data.outcomes.push(outcome);
    if (this.data.outcomes.length > LIMITS.keptClaims) this.data.outcomes.shift();
  }
}

/**
 * Judges one `claim` signal: the first one wins, its holder may prolong it, everybody else is refused until it is over.
 * A signal that is repeated under its id is one claim. Never throws.
 */
export function takeClaim(state: RunState, payload: unknown): ClaimOutcome {
  return judged(state, claimSignalSchema.safeParse(payload).data, payload, (signal, askId) => {
    const claim = claimOf(askId, signal.principal, state.now(), signal.for);
    state.claimed(claim);
  });
}

/** Judges one `release` signal. What nobody holds is released already; what another one holds stays held. Never throws. */
export function takeRelease(state: RunState, payload: unknown): ClaimOutcome {
  return judged(state, releaseSignalSchema.safeParse(payload).data, payload, (signal) => {
    if (state.liveClaim) state.released(signal.principal);
  });
}

function judged<Signal extends ClaimSignal | ReleaseSignal>(
  state: RunState,
  signal: Signal | undefined,
  payload: unknown,
  apply: (signal: Signal, askId: string) => void,
): ClaimOutcome {
  const claimId = claimIdOf(payload);
  const known = claimId === null ? null : state.claims.find(claimId);
  if (known) return known;
  const pending = state.asks.pending;
  const outcome: ClaimOutcome = { claim_id: claimId, verdict: 'taken', claim: null };
  if (!pending) outcome.verdict = 'run_not_waiting';
  else if (!signal) outcome.verdict = 'invalid_input';
  else if (signal.ask_id !== undefined && signal.ask_id !== pending.ask_id) outcome.verdict = 'ask_mismatch';
  else if (isHeldByAnother(state.liveClaim, signal.principal)) outcome.verdict = 'claimed';
  else apply(signal, pending.ask_id);
  outcome.claim = state.liveClaim;
  if (claimId !== null) state.claims.record(outcome);
  return outcome;
}

/** The name that a claim was given, even when the rest of the signal is malformed: its sender asks by that name. */
function claimIdOf(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'claim_id')) return null;
  return claimIdSchema.safeParse((payload as { claim_id?: unknown }).claim_id).data ?? null;
}
