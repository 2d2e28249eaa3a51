/** What can be read of a run: the half of its state that changes nothing. */
import type { AskPage } from '../contract/asks';
import { liveClaim, type Claim } from '../contract/claims';
import { LIMITS } from '../contract/limits';
import type { RunIdentity, RunSnapshot, WaitingBelow } from '../contract/run';
import type { StepsReply } from '../contract/timeline';
import { AnswerLedger } from './answer-ledger';
import { Children } from './children';
import { Claims, emptyClaims } from './claims';
import { pageFrom } from './cut';
import { DescendantAsks, type DescendantAsk } from './descendant-asks';
import { EventLog } from './event-log';
import { OwnAsks } from './own-asks';
import type { RunStateData } from './run-data';
import { Steps } from './steps';
import { TranscriptLog } from './transcript-log';
import { WaitingClock } from './waiting-clock';

/** One run's state as its readers see it. What happens to it is in `RunState`. */
export class ReadableRun {
  readonly log: EventLog;
  readonly asks: OwnAsks;
  readonly descendants: DescendantAsks;
  readonly ledger: AnswerLedger;
  readonly claims: Claims;
  readonly steps: Steps;
  readonly transcript: TranscriptLog;
  readonly children: Children;
  readonly clock: WaitingClock;

  constructor(
    readonly data: RunStateData,
    readonly runId: string,
    readonly now: () => string,
  ) {
    this.log = new EventLog(data.log, runId);
    this.asks = new OwnAsks(data.asks);
    this.descendants = new DescendantAsks(data.descendants);
    this.ledger = new AnswerLedger(data.outcomes);
    this.claims = new Claims((data.claims ??= emptyClaims()));
    this.steps = new Steps(data.steps);
    this.transcript = new TranscriptLog(data.transcript);
    this.children = new Children(data.children);
    this.clock = new WaitingClock(data.clock);
  }

  get identity(): RunIdentity {
    return this.data.identity;
  }

  /** Who holds the pending ask at this moment. */
  get liveClaim(): Claim | null {
    return liveClaim(this.claims.held, this.asks.pending, this.now());
  }

  /** Asks of this run and of every run below it, by time of asking: pending ones, or all. */
  pageOfAsks(which: 'pending' | 'all', from: number): AskPage {
    const all = [...this.asks.list(this.runId), ...this.descendants.list()];
    const asks = which === 'all' ? all : all.filter((ask) => ask.state === 'pending');
    // Stable: asks of the same instant keep the order in which they got here.
    asks.sort((a, b) => compare(a.question.asked_at, b.question.asked_at));
    const start = Math.max(0, Math.trunc(from) || 0);
    const { taken, hasMore } = pageFrom(asks, start, LIMITS.eventPage);
    return { asks: taken, from: start, total: asks.length, has_more: hasMore };
  }

  snapshot(maxChildren: number = Number.MAX_SAFE_INTEGER): RunSnapshot {
    const { pending } = this.descendants;
    const { created_at, updated_at, ended_at, waited_ms } = this.clock.times;
    return {
      status: this.data.status,
      pending: this.asks.pending,
      ...(this.asks.isApproval ? { approval: true } : {}),
      ...(this.claims.held ? { claim: this.claims.held } : {}),
      children_awaiting: pending.slice(0, maxChildren).map(waitingBelow),
      more_children_awaiting: pending.length > maxChildren,
      result: this.data.result,
      error: this.data.error,
      created_at,
      updated_at,
      ended_at,
      waited_ms,
      last_event_id: this.log.lastId,
    };
  }

  /** The steps as far as one reply holds them, with the part of the snapshot that they must agree with. */
  timeline(maxChildren: number): StepsReply {
    const { status, pending, children_awaiting, more_children_awaiting } = this.snapshot(maxChildren);
    const now = { status, pending, children_awaiting, more_children_awaiting };
    return { steps: this.steps.recent(LIMITS.stepsBytes), now };
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function waitingBelow({ run_id, step_id, question }: DescendantAsk): WaitingBelow {
  return { run_id, ask_id: question.ask_id, ...(step_id === undefined ? {} : { step_id }) };
}
