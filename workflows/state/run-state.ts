import { closedUnanswered, type AskClosing } from '../contract/asks';
import type { Claim } from '../contract/claims';
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
import type { ChildAskClosedSignal, ChildNeedsHumanSignal } from '../contract/messages';
import { judgeAskArgs, type Question } from '../contract/question';
import { askInFlight, humanDeclined, invalidQuestion, noHumanInLoop, skippedByAuto } from '../contract/tool-results';
import type { AskResult } from '../contract/tool-results';
import type { Child } from './children';
import { cutToFit } from './cut';
import { ReadableRun } from './readable-run';
import type { Notice, RunStateData } from './run-data';
import type { Step } from './steps';

export interface AskOptions {
  /** Of the ask's step. */
  name?: string;
  approval?: boolean;
}

/**
 * One run's state and everything that can happen to it. No Temporal in here: time comes in as a function, news goes
 * out through `outbox` and `revision`.
 */
export class RunState extends ReadableRun {
  readonly outbox: Notice[] = [];
  /** Rises whenever the record changes, so that the workflow knows when to publish it. */
  revision = 0;
  /** Told of every event as it happens; never of those that were carried on. */
  onEvent: (<T extends EventType>(type: T, data: EventData<T>) => void) | null = null;

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

function boundedData(data: JsonObject): JsonObject {
  const bytes = jsonBytes(data);
  if (bytes <= LIMITS.eventBytes) return data;
  return { cut: true, note: `the data had ${bytes} bytes and was cut`, data: cutToFit(data, LIMITS.eventBytes / 2) };
}
