/** Visibility knows of a new run some 100 ms late; this long it is remembered here. */
const REMEMBERED_MS = 30_000;
const MAX_REMEMBERED = 500;

/** A run and when its newest execution started: its place in lists. */
export interface ListEntry {
  runId: string;
  started: string;
}

/**
 * Runs that were started, answered or cancelled through this process a moment ago: a list shows them although
 * Temporal's visibility may not know them yet, or files them under their old status. Nothing but their place: a restart
 * loses nothing but this head start.
 */
export class RecentRuns {
  private readonly touched = new Map<string, { workspace: string; entry: ListEntry; at: number }>();

  touch(workspace: string, entry: ListEntry): void {
    // Ids are one namespace's: no two workspaces have the same.
    this.touched.delete(entry.runId);
    this.touched.set(entry.runId, { workspace, entry, at: Date.now() });
    const [oldest] = this.touched.keys();
    if (this.touched.size > MAX_REMEMBERED && oldest !== undefined) this.touched.delete(oldest);
  }

  of(workspace: string): ListEntry[] {
    const since = Date.now() - REMEMBERED_MS;
    const entries: ListEntry[] = [];
    for (const [runId, { workspace: owner, entry, at }] of this.touched) {
      if (at < since) this.touched.delete(runId);
      else if (owner === workspace) entries.push(entry);
    }
    return entries;
  }

  /** Ids of those that were touched last, at most `most` of them. */
  newest(workspace: string, most: number): string[] {
    return this.of(workspace)
      .slice(-most)
      .map(({ runId }) => runId);
  }
}
