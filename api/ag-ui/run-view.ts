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
   * Whether an open delegation has no sub-agent that is not over: it is about to start, or has just ended, and there is
   * news on the way. `isOver` knows a sub-agent by its own events, which may be ahead of this run's.
   */
  hasLooseDelegation(isOver: (runId: string) => boolean): boolean {
    const left = new Map<string, number>();
    for (const { agent } of this.unfinishedChildren(isOver)) left.set(agent, (left.get(agent) ?? 0) + 1);
    for (const name of this.openWork()) {
      if (!name.startsWith(DELEGATION)) continue;
      const agent = name.slice(DELEGATION.length);
      const known = left.get(agent) ?? 0;
      if (known === 0) return true;
      left.set(agent, known - 1);
    }
    return false;
  }

  /** Whether all that is open in this run is delegations, and calls that collect what they bring. */
  waitsForChildren(isOver: (runId: string) => boolean): boolean {
    const children = this.unfinishedChildren(isOver).length;
    const open = this.openWork();
    if (open.length === 0) return this.lost;
    return children > 0 && open.every((name) => name.startsWith(DELEGATION) || name === 'collect');
  }

  private unfinishedChildren(isOver: (runId: string) => boolean): KnownChild[] {
    return [...this.children].filter(([runId, { end }]) => end === null && !isOver(runId)).map(([, child]) => child);
  }

  /** Names of the open steps that are one call each. A step that an author has named may be a span around a delegation. */
  private openWork(): string[] {
    return [...this.openSteps].filter(([stepId]) => /^s\d+$/.test(stepId)).map(([, name]) => name);
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
