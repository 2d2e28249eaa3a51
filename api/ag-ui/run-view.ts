/** One run of a conversation as its events tell it. No Temporal, no HTTP. */
import type { Json, Question, RunError, RunEvent } from '../../workflows/contract';

export type RunEnd =
  { status: 'completed'; result: Json } | { status: 'failed'; error: RunError } | { status: 'cancelled' };

/** A direct sub-agent as its caller knows it. */
export interface KnownChild {
  agent: string;
  end: { status: 'completed' } | { status: 'failed' | 'cancelled'; error: RunError } | null;
}

export class RunView {
  /** Names of the steps that are not over, by step id. */
  readonly openSteps = new Map<string, string>();
  readonly children = new Map<string, KnownChild>();
  pending: Question | null = null;
  end: RunEnd | null = null;
  /** Id of the last event taken. */
  cursor = 0;
  /** True when events were gone before they could be read: steps and sub-agents may be missing here. */
  lost = false;

  constructor(
    readonly runId: string,
    readonly agent: string,
    /** The run that delegated to it; null for the one that the thread is. */
    readonly parentId: string | null,
  ) {}

  take(event: RunEvent): void {
    this.cursor = event.id;
    switch (event.type) {
      case 'stream.reset':
        this.lost = true;
        return;
      case 'step.started':
        this.openSteps.set(event.data.step_id, event.data.name);
        return;
      case 'step.completed':
      case 'step.failed':
        this.openSteps.delete(event.data.step_id);
        return;
      case 'ask.opened':
        this.pending = event.data.question;
        return;
      case 'ask.answered':
      case 'ask.declined':
      case 'ask.expired':
      case 'ask.withdrawn':
        if (this.pending?.ask_id === event.data.ask_id) this.pending = null;
        return;
      case 'child.started':
        this.children.set(event.data.child_run_id, { agent: event.data.agent, end: null });
        return;
      case 'child.completed':
        this.childEnded(event.data.child_run_id, event.data.agent, { status: 'completed' });
        return;
      case 'child.failed': {
        const { child_run_id, agent, status, error } = event.data;
        this.childEnded(child_run_id, agent, { status, error });
        return;
      }
      case 'run.completed':
        this.finish({ status: 'completed', result: event.data.result });
        return;
      case 'run.failed':
        this.finish({ status: 'failed', error: event.data.error });
        return;
      case 'run.cancelled':
        this.finish({ status: 'cancelled' });
    }
  }

  /**
   * Whether nothing goes on in this run but waiting for sub-agents: all that is open are delegations, each with a
   * sub-agent that is not over, and calls that collect. `isOver` knows a sub-agent by its own events, which may be ahead
   * of this run's. A step that an author has named says nothing: it may be a span around a delegation.
   */
  waitsForChildren(isOver: (runId: string) => boolean): boolean {
    const unfinished = [...this.children].filter(([runId, child]) => child.end === null && !isOver(runId));
    const left = new Map<string, number>();
    for (const [, { agent }] of unfinished) left.set(agent, (left.get(agent) ?? 0) + 1);
    let waiting = this.lost;
    for (const [stepId, name] of this.openSteps) {
      if (!/^s\d+$/.test(stepId)) continue;
      if (name.startsWith(DELEGATION)) {
        const agent = name.slice(DELEGATION.length);
        const known = left.get(agent) ?? 0;
        // Its sub-agent is about to start, or has just ended: there is news on the way.
        if (known === 0) return false;
        left.set(agent, known - 1);
      } else if (name !== 'collect' || unfinished.length === 0) return false;
      waiting = true;
    }
    return waiting;
  }

  private childEnded(runId: string, agent: string, end: KnownChild['end']): void {
    this.children.set(runId, { agent, end });
  }

  private finish(end: RunEnd): void {
    this.end = end;
    this.pending = null;
    this.openSteps.clear();
  }
}

/** How a delegation's step is named: by the agent behind it. */
const DELEGATION = 'delegate ';
