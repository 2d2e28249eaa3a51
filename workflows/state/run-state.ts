import type { AskClosing } from '../contract/asks';
import { closedUnanswered, type AskPage } from '../contract/asks';
import { liveClaim, type Claim } from '../contract/claims';
import {
  provenanceOf,
  type EventData,
  type EventType,
  type OwnEvent,
  type RunError,
  type StepStatus,
} from '../contract/events';
import { jsonBytes, type Json, type JsonObject } from '../contract/json';
import { LIMITS } from '../contract/limits';
import type { AnswerOutcome, ChildAskClosedSignal, ChildNeedsHumanSignal } from '../contract/messages';
import { judgeAskArgs, type Question } from '../contract/question';
import type { RunIdentity, RunSnapshot, WaitingBelow } from '../contract/run';
import type { StepsReply } from '../contract/timeline';
import { askInFlight, humanDeclined, invalidQuestion, noHumanInLoop, skippedByAuto } from '../contract/tool-results';
import type { AskResult } from '../contract/tool-results';
import { AnswerLedger } from './answer-ledger';
import { Children, type Child } from './children';
import { Claims, emptyClaims, type ClaimsData } from './claims';
import { DescendantAsks, emptyDescendantAsks, type DescendantAsk, type DescendantAsksData } from './descendant-asks';
import { EventLog, type EventLogData } from './event-log';
import { cutToFit, pageFrom } from './cut';
import { emptyOwnAsks, OwnAsks, type OwnAsksData } from './own-asks';
import { emptySteps, Steps, type Step, type StepsData } from './steps';
import { TranscriptLog, type TranscriptData } from './transcript-log';
import { WaitingClock, type WaitingClockData } from './waiting-clock';

/** Everything a run knows, as plain JSON: what continue-as-new carries and nothing else survives. */
export interface RunStateData {
  identity: RunIdentity;
  status: RunSnapshot['status'];
  result: Json;
  error: RunError | null;
  clock: WaitingClockData;
  log: EventLogData;
  asks: OwnAsksData;
  descendants: DescendantAsksData;
  outcomes: AnswerOutcome[];
  /** Absent in what an older release carries on. */
  claims?: ClaimsData;
  steps: StepsData;
  transcript: TranscriptData;
  children: Child[];
}

export interface AskOptions {
  /** Of the ask's step. */
  name?: string;
  approval?: boolean;
}

/** News for the runs above, in the order in which it came to be. Sent by the workflow, which drains the outbox. */
export type Notice =
  { kind: 'opened'; question: Question } | { kind: 'closed'; run_id: string; ask_id: string; closing: AskClosing };

export function newRunState(identity: RunIdentity, now: string): RunStateData {
  return {
    identity,
    status: 'running',
    result: null,
    error: null,
    clock: { created_at: now, updated_at: now, ended_at: null, waited_ms: 0, waiting_since: null },
    log: { last_id: 0, events: [] },
    asks: emptyOwnAsks(),
    descendants: emptyDescendantAsks(),
    outcomes: [],
    claims: emptyClaims(),
    steps: emptySteps(),
    transcript: { dropped: 0, messages: [] },
    children: [],
  };
}

/**
 * One run's state and everything that can happen to it. No Temporal in here: time comes in as a function, news goes
 * out through `outbox` and `revision`.
 */
export class RunState {
  readonly log: EventLog;
  readonly asks: OwnAsks;
  readonly descendants: DescendantAsks;
  readonly ledger: AnswerLedger;
  readonly claims: Claims;
  readonly steps: Steps;
  readonly transcript: TranscriptLog;
  readonly children: Children;
  readonly clock: WaitingClock;
  readonly outbox: Notice[] = [];
  /** Rises whenever the record changes, so that the workflow knows when to publish it. */
  revision = 0;
  /** Told of every event as it happens; never of those that were carried on. */
  onEvent: (<T extends EventType>(type: T, data: EventData<T>) => void) | null = null;

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

  emit<T extends EventType>(type: T, data: EventData<T>): void {
    this.log.append<EventType>(type, this.now(), data);
    this.onEvent?.(type, data);
  }

  /** An event of the workflow's own making. Data that is too large is stored cut: no event may burst a page. */
  emitOwn(type: OwnEvent['type'], data: JsonObject): void {
    this.log.append(type, this.now(), boundedData(data));
  }

  /** `stepId` is for steps that an author has named; the others are numbered. */
  beginStep(step: Pick<Step, 'kind' | 'name'> & { stepId?: string }): Step {
    const begun = this.steps.begin(step, this.now());
    this.emit('step.started', { step_id: begun.step_id, name: begun.name, status: 'running' });
    return begun;
  }

  endStep(step: Step, status: Exclude<StepStatus, 'running' | 'waiting'>): void {
    step.status = status;
    step.ended_at = this.now();
    const type = status === 'completed' ? 'step.completed' : 'step.failed';
    const tokens = step.tokens > 0 ? { tokens: step.tokens } : {};
    this.emit(type, { step_id: step.step_id, name: step.name, status, ...tokens });
  }

  /**
   * `ask_a_human`: opens an ask (a step of that `name`), or says at once what the agent gets instead. A refusal pauses
   * nothing (CONTRACT §2). An `approval` takes no answer of a model.
   */
  openAsk(
    args: unknown,
    { name = 'ask_a_human', approval = false }: AskOptions = {},
  ): { question: Question } | { refused: AskResult } {
    if (this.identity.on_question === 'none') return { refused: noHumanInLoop };
    if (this.identity.on_question === 'auto') return { refused: skippedByAuto };
    if (this.asks.pending) return { refused: askInFlight };
    const verdict = judgeAskArgs(args);
    if (!verdict.ok) return { refused: invalidQuestion(verdict.message) };

    const now = this.now();
    const question = this.asks.open(verdict.ask, {
      askedAt: now,
      expiresAt: null,
      assignee: this.identity.assignee,
      approval,
    });
    const step = this.steps.begin({ kind: 'ask', name, stepId: question.ask_id }, now);
    this.emit('step.started', { step_id: step.step_id, name: step.name, status: 'running' });
    this.emit('ask.opened', { ask_id: question.ask_id, question });
    step.status = 'waiting';
    this.emit('step.paused', { step_id: step.step_id, name: step.name, status: 'waiting' });
    this.data.status = 'awaiting_input';
    this.clock.pause(now);
    this.outbox.push({ kind: 'opened', question });
    this.changed();
    return { question };
  }

  /** Closes the pending ask; the run goes on. `result` is what the agent gets. */
  closeAsk(closing: AskClosing, result: AskResult): void {
    const question = this.asks.pending;
    if (!question) return;
    const askId = question.ask_id;
    this.asks.close(closing, result);
    this.claims.hold(null);
    const by = {
      principal: closing.principal,
      channel: closing.channel ?? 'signal',
      by: closing.by ?? 'human',
      ...provenanceOf(closing),
    };
    if (closing.outcome === 'answered') {
      const option = closing.option_id === null ? {} : { option_id: closing.option_id };
      this.emit('ask.answered', { ask_id: askId, answer: closing.answer ?? '', ...option, ...by });
    } else if (closing.outcome === 'declined') {
      this.emit('ask.declined', { ask_id: askId, message: closing.message, ...by });
    } else {
      this.emit(closing.outcome === 'expired' ? 'ask.expired' : 'ask.withdrawn', { ask_id: askId });
    }
    const step = this.steps.find(askId);
    if (step) this.endStep(step, closing.outcome === 'withdrawn' ? 'cancelled' : 'completed');
    this.data.status = 'running';
    this.clock.resume(this.now());
    this.outbox.push({ kind: 'closed', run_id: this.runId, ask_id: askId, closing });
    this.changed();
  }

  /** Who holds the pending ask at this moment. */
  get liveClaim(): Claim | null {
    return liveClaim(this.claims.held, this.asks.pending, this.now());
  }

  claimed(claim: Claim): void {
    this.claims.hold(claim);
    this.emit('ask.claimed', claim);
    this.changed();
  }

  /** Ends the claim on the pending ask before its time. */
  released(by: string): void {
    const held = this.claims.held;
    if (!held) return;
    this.claims.hold(null);
    this.emit('ask.released', { ask_id: held.ask_id, by });
    this.changed();
  }

  /** A sub-agent at any depth asks. Told once, on this run's stream; this run goes on (CONTRACT §3). */
  childNeedsHuman(signal: ChildNeedsHumanSignal): void {
    const { child_run_id, question, timestamp, ancestors } = signal;
    const below = ancestors.slice(0, Math.max(0, ancestors.indexOf(this.runId)));
    const via = below.at(-1) ?? child_run_id;
    const branch = [child_run_id, ...below];
    const stepId = this.children.find(via)?.step_id;
    const step = stepId === undefined ? {} : { step_id: stepId };
    if (!this.descendants.open({ run_id: child_run_id, via_run_id: via, ...step, branch, question })) return;
    this.emit('child_needs_human', { child_run_id, question, timestamp });
    this.changed();
  }

  childAskClosed(signal: ChildAskClosedSignal): void {
    const { child_run_id, ask_id, outcome, closing } = signal;
    if (!this.descendants.close(child_run_id, ask_id, closing)) return;
    this.emit('child_ask_closed', { child_run_id, ask_id, outcome });
    this.changed();
  }

  /** A direct sub-agent exists: its id can be read and answered from now on. */
  childStarted(child: Child): void {
    const step = this.steps.find(child.step_id);
    if (step) step.child_run_id = child.run_id;
    this.emit('child.started', { child_run_id: child.run_id, agent: child.agent });
  }

  /** A direct sub-agent has ended. What it, or a run below it, still asks is withdrawn here and further up. */
  childEnded(child: Child, end: Pick<Child, 'status' | 'result' | 'error'>): void {
    Object.assign(child, end);
    for (const gone of this.descendants.runEnded(child.run_id, this.now())) {
      const { run_id, ask_id, closing } = gone;
      this.emit('child_ask_closed', { child_run_id: run_id, ask_id, outcome: closing.outcome });
      this.outbox.push({ kind: 'closed', run_id, ask_id, closing });
      this.changed();
    }
    const data = { child_run_id: child.run_id, agent: child.agent };
    if (end.error === null) this.emit('child.completed', data);
    else {
      const status = end.status === 'cancelled' ? 'cancelled' : 'failed';
      this.emit('child.failed', { ...data, status, error: end.error });
    }
    const step = this.steps.find(child.step_id);
    if (step?.status === 'running' && end.status !== 'running') this.endStep(step, end.status);
  }

  /** Withdraws the pending ask, if there is one: nobody can answer it any more. */
  withdrawAsk(): void {
    this.closeAsk(closedUnanswered('withdrawn', this.now()), humanDeclined(null));
  }

  /** The end of the run. A pending ask is withdrawn, and no step stays open. */
  finish(end: { status: 'completed'; result: Json } | { status: 'failed'; error: RunError } | { status: 'cancelled' }) {
    this.withdrawAsk();
    for (const step of this.steps.open()) this.endStep(step, 'cancelled');
    this.data.status = end.status;
    if (end.status === 'completed') {
      this.data.result = end.result;
      this.emit('run.completed', { result: end.result });
    } else if (end.status === 'failed') {
      this.data.error = end.error;
      this.emit('run.failed', { error: end.error });
    } else this.emit('run.cancelled', {});
    this.clock.end(this.now());
    this.revision += 1;
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

  /** The state for the next execution, cut to what a payload may hold. */
  carry(): RunStateData {
    this.log.trimForCarrying();
    this.asks.trimForCarrying();
    this.descendants.trimForCarrying();
    this.ledger.trimForCarrying();
    this.steps.trimForCarrying();
    this.children.trimForCarrying();
    // The transcript takes what the others leave: it is the part that can get smaller and still be of use.
    const { identity: _identity, transcript: _transcript, ...rest } = this.data;
    const left = LIMITS.carriedStateBytes - jsonBytes(rest);
    this.transcript.trim(Math.max(LIMITS.carriedBytes / 8, Math.min(LIMITS.carriedBytes, left)));
    return this.data;
  }

  private changed(): void {
    this.revision += 1;
    this.clock.touch(this.now());
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function boundedData(data: JsonObject): JsonObject {
  const bytes = jsonBytes(data);
  if (bytes <= LIMITS.eventBytes) return data;
  return { cut: true, note: `the data had ${bytes} bytes and was cut`, data: cutToFit(data, LIMITS.eventBytes / 2) };
}

function waitingBelow({ run_id, step_id, question }: DescendantAsk): WaitingBelow {
  return { run_id, ask_id: question.ask_id, ...(step_id === undefined ? {} : { step_id }) };
}
