/**
 * Makes the workflow that runs now a Holdpoint run: its state, its signal and query handlers, its memo and its word
 * to the runs above.
 */
import { allHandlersFinished, CancellationScope, condition, setHandler, workflowInfo } from '@temporalio/workflow';
import { countEvent } from './ask-metrics';
import { childAskClosedSchema, childNeedsHumanSchema, LIMITS, QUERIES, SIGNALS, type RunIdentity } from './contract';
import * as definitions from './definitions';
import { Effects, type EffectCounts } from './effects';
import { Escalation } from './escalation';
import { onSignal } from './signals';
import { takeClaim, takeRelease } from './state/claims';
import { takeAnswer } from './state/judge';
import { newRunState, type RunStateData } from './state/run-data';
import { RunState } from './state/run-state';
import { MEMO_CHILDREN, Visibility } from './visibility';

/** A run as its workflow function sees it. */
export class Run {
  private readonly visibility: Visibility;
  private readonly escalation: Escalation;
  private publishedRevision: number;

  constructor(
    readonly state: RunState,
    readonly effects: Effects,
    options: { endInMemo?: boolean } = {},
  ) {
    this.visibility = new Visibility(state.identity, state.snapshot(MEMO_CHILDREN), options);
    this.escalation = new Escalation(state.runId, state.identity.ancestors);
    this.publishedRevision = state.revision;
    this.handleMessages();
    this.publishOnChange();
  }

  /** Writes out what has changed, at once: the memo, and notices to the runs above. */
  publish(): void {
    for (const notice of this.state.outbox.splice(0)) this.escalation.send(notice);
    if (this.state.revision === this.publishedRevision) return;
    this.publishedRevision = this.state.revision;
    this.visibility.publish(this.state.snapshot(MEMO_CHILDREN));
  }

  /** Resolves once nothing of this run is on its way any more: to be awaited before it ends or continues as new. */
  async settled(): Promise<void> {
    this.publish();
    await CancellationScope.nonCancellable(async () => {
      await this.escalation.delivered();
      await condition(allHandlersFinished);
    });
  }

  /**
   * One publication for all that happens in one workflow task: a hundred sub-agents that ask at once are one memo
   * event, and an answer's verdict and memo are written together.
   */
  private publishOnChange(): void {
    void CancellationScope.nonCancellable(async () => {
      for (;;) {
        await condition(() => this.state.outbox.length > 0 || this.state.revision !== this.publishedRevision);
        this.publish();
      }
    });
  }

  private handleMessages(): void {
    const { state } = this;
    const { answer, claim, release, childNeedsHuman, childAskClosed } = SIGNALS;
    // Payloads come from anyone: nothing here may throw (a throw in a handler wedges the run).
    onSignal(answer, (payload) => void takeAnswer(state, payload));
    onSignal(claim, (payload) => void takeClaim(state, payload));
    onSignal(release, (payload) => void takeRelease(state, payload));
    onSignal(childNeedsHuman, (payload) => {
      const parsed = childNeedsHumanSchema.safeParse(payload);
      if (parsed.success) state.childNeedsHuman(parsed.data);
    });
    onSignal(childAskClosed, (payload) => {
      const parsed = childAskClosedSchema.safeParse(payload);
      if (parsed.success) state.childAskClosed(parsed.data);
    });
    setHandler(definitions.runQuery, () => state.snapshot(), QUERIES.run);
    setHandler(
      definitions.eventsQuery,
      (page) => state.log.page(page?.after ?? 0, bounded(page?.limit), state.now()),
      QUERIES.events,
    );
    setHandler(
      definitions.asksQuery,
      (filter) => state.pageOfAsks(filter?.state ?? 'pending', filter?.from ?? 0),
      QUERIES.asks,
    );
    setHandler(
      definitions.messagesQuery,
      (page) => ({
        ...state.transcript.page(page?.from ?? 0, bounded(page?.limit)),
        tokens: state.steps.tokens,
      }),
      QUERIES.messages,
    );
    setHandler(definitions.stepsQuery, () => state.timeline(MEMO_CHILDREN), QUERIES.steps);
    setHandler(
      definitions.answerOutcomeQuery,
      (which) => ({ outcome: state.ledger.find(which?.answer_id ?? ''), snapshot: state.snapshot() }),
      QUERIES.answerOutcome,
    );
    setHandler(
      definitions.claimOutcomeQuery,
      (which) => ({ outcome: state.claims.find(which?.claim_id ?? ''), snapshot: state.snapshot() }),
      QUERIES.claimOutcome,
    );
  }
}

/**
 * Opens the run of the current workflow: a new one, or one that goes on from `carried`. `endInMemo` is for a workflow
 * whose result is not a `RunOutcome`.
 */
export function openRun(
  identity: RunIdentity,
  carried?: { state: RunStateData; effects: EffectCounts },
  options?: { endInMemo?: boolean },
): Run {
  const { workflowId, startTime } = workflowInfo();
  const now = () => new Date().toISOString();
  const state = new RunState(carried?.state ?? newRunState(identity, startTime.toISOString()), workflowId, now);
  state.onEvent = (type, data) => countEvent(type, data, state.clock.times.waiting_since);
  if (!carried) state.emit('run.started', { agent: identity.agent });
  return new Run(state, new Effects(carried?.effects ?? []), options);
}

function bounded(limit: number | undefined): number {
  return Math.min(Math.max(1, Math.trunc(limit ?? LIMITS.eventPage) || 1), LIMITS.eventPage);
}
