/** The runs of one conversation, and whether it can go on without a person. */
import type { Question } from '../../workflows/contract';
import { interruptId } from './ids';
import type { RunView } from './run-view';

/** A question that waits, with the run that asks it. */
export interface Waiting {
  id: string;
  runId: string;
  question: Question;
}

export class Conversation {
  /** Callers before their sub-agents. */
  readonly views = new Map<string, RunView>();
  /** Interrupts answered through this segment, whose runs have yet to tell of it. */
  readonly answered = new Set<string>();

  add(view: RunView): void {
    this.views.set(view.runId, view);
  }

  /** Asks that nobody has answered, oldest first. */
  waiting(): Waiting[] {
    const waiting: Waiting[] = [];
    for (const view of this.views.values()) {
      const question = this.pendingOf(view);
      if (question) waiting.push({ id: interruptId(view.runId, question.ask_id), runId: view.runId, question });
    }
    return waiting.sort(({ question: a }, { question: b }) =>
      a.asked_at < b.asked_at ? -1 : a.asked_at > b.asked_at ? 1 : 0,
    );
  }

  /**
   * True when nothing is running any more: every unfinished run waits for a person, or for a sub-agent that does. What the
   * runs tell comes one after another, so it may be a moment late.
   */
  isStuck(): boolean {
    const isOver = (runId: string) => (this.views.get(runId)?.end ?? null) !== null;
    let asks = false;
    for (const view of this.views.values()) {
      if (view.end) continue;
      for (const [childId, child] of view.children) if (!child.end && !this.views.has(childId)) return false;
      if (view.hasLooseDelegation(isOver)) return false;
      if (this.pendingOf(view)) asks = true;
      else if (!view.waitsForChildren(isOver)) return false;
    }
    return asks;
  }

  private pendingOf(view: RunView): Question | null {
    if (view.end || !view.pending) return null;
    return this.answered.has(interruptId(view.runId, view.pending.ask_id)) ? null : view.pending;
  }
}
