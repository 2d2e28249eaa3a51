/** Keeps a caller's words behind those of a sub-agent that is over: each run is read for itself, and one may be read late. */
import type { RunEvent } from '../../workflows/contract';
import type { FollowedRun } from './followed-run';

/** How long a caller waits for what its sub-agents, which are over, still have to tell. */
const LAST_WORDS_MS = 5_000;

export class LastWords {
  private readonly waitUntil = new Map<string, number>();

  constructor(
    private readonly runs: ReadonlyMap<string, FollowedRun>,
    /** Asks to be called again after so many milliseconds. */
    private readonly later: (milliseconds: number) => void,
  ) {}

  /** Whether the news of a run has the end of a sub-agent that has not told all: then it is to be passed on later. */
  isAhead(run: FollowedRun): boolean {
    return this.areMissing(
      run.view.runId,
      run.news.flatMap((event) => (isChildEnd(event) ? [event.data.child_run_id] : [])),
    );
  }

  /** Whether any of these sub-agents of a run has more to tell. True for a moment at most: the caller goes on without. */
  areMissing(callerId: string, subAgents: readonly string[]): boolean {
    if (!subAgents.some((runId) => this.hasMore(runId))) {
      this.waitUntil.delete(callerId);
      return false;
    }
    let until = this.waitUntil.get(callerId);
    if (until === undefined) {
      until = Date.now() + LAST_WORDS_MS;
      this.waitUntil.set(callerId, until);
      this.later(LAST_WORDS_MS + 1);
    }
    return Date.now() <= until;
  }

  private hasMore(runId: string): boolean {
    const run = this.runs.get(runId);
    return run !== undefined && (run.news.length > 0 || (!run.view.end && !run.gone));
  }
}

function isChildEnd(event: RunEvent): event is Extract<RunEvent, { type: 'child.completed' | 'child.failed' }> {
  return event.type === 'child.completed' || event.type === 'child.failed';
}
