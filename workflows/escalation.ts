/**
 * How a run's questions climb: one signal to each run above it when an ask opens, one when it closes (CONTRACT §3).
 */
import { CancellationScope, getExternalWorkflowHandle } from '@temporalio/workflow';
import type { ChildAskClosedSignal, ChildNeedsHumanSignal } from './contract';
import { childAskClosedSignal, childNeedsHumanSignal } from './definitions';
import type { Notice } from './state/run-data';

/**
 * Sends notices to every ancestor. To one ancestor they go one after another, so that a close never overtakes its
 * open; ancestors do not wait for each other, and one that is gone hurts nobody. An ancestor is named by workflow id
 * alone: it may have continued as new since.
 */
export class Escalation {
  private readonly lines = new Map<string, Promise<void>>();

  constructor(
    private readonly runId: string,
    private readonly ancestors: readonly string[],
  ) {}

  send(notice: Notice): void {
    for (const ancestor of this.ancestors) {
      const before = this.lines.get(ancestor) ?? Promise.resolve();
      this.lines.set(
        ancestor,
        before.then(() => this.deliver(ancestor, notice)),
      );
    }
  }

  /** Resolves once every notice so far is delivered, or its receiver is known to be gone. */
  async delivered(): Promise<void> {
    await Promise.all(this.lines.values());
  }

  private async deliver(ancestor: string, notice: Notice): Promise<void> {
    // A cancelled run still has to say that its question is withdrawn.
    await CancellationScope.nonCancellable(async () => {
      try {
        const handle = getExternalWorkflowHandle(ancestor);
        if (notice.kind === 'opened') await handle.signal(childNeedsHumanSignal, this.opened(notice));
        else await handle.signal(childAskClosedSignal, closed(notice));
      } catch {
        // The ancestor has ended. The asking run is none the worse for it.
      }
    });
  }

  private opened({ question }: Extract<Notice, { kind: 'opened' }>): ChildNeedsHumanSignal {
    return {
      child_run_id: this.runId,
      question,
      timestamp: question.asked_at,
      ancestors: [...this.ancestors],
    };
  }
}

function closed({ run_id, ask_id, closing }: Extract<Notice, { kind: 'closed' }>): ChildAskClosedSignal {
  return { child_run_id: run_id, ask_id, outcome: closing.outcome, closing };
}
