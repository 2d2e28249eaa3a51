/** Visibility knows of a new run some 100 ms late; this long it is remembered here. */
const REMEMBERED_MS = 30_000;
const MAX_REMEMBERED = 500;

/**
 * Runs that were started, answered or cancelled through this process a moment ago: a list shows them although
 * Temporal's visibility may not know them yet, or files them under their old status. Only ids: a restart loses nothing
 * but this head start.
 */
export class RecentRuns {
  private readonly touched = new Map<string, number>();

  touch(workspace: string, runId: string): void {
    const key = JSON.stringify([workspace, runId]);
    this.touched.delete(key);
    this.touched.set(key, Date.now());
    const [oldest] = this.touched.keys();
    if (this.touched.size > MAX_REMEMBERED && oldest !== undefined) this.touched.delete(oldest);
  }

  of(workspace: string): string[] {
    const since = Date.now() - REMEMBERED_MS;
    const ids: string[] = [];
    for (const [key, at] of this.touched) {
      if (at < since) this.touched.delete(key);
      else {
        const [owner, runId] = JSON.parse(key) as [string, string];
        if (owner === workspace) ids.push(runId);
      }
    }
    return ids;
  }
}
