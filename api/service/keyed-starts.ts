/** So many keys are remembered. */
const MAX_REMEMBERED = 10_000;

/**
 * Which run an `Idempotency-Key` has started through this process. Temporal finds a run by its id alone: one whose id the
 * caller chose is not found by its key, so a second start under that key with another id would be a second run. A key
 * without a chosen id needs none of this: the run's id is made of it.
 */
export class KeyedStarts {
  private readonly runs = new Map<string, string>();

  /** Binds a key to a run; false when it is bound to another one. */
  bind(key: string, runId: string): boolean {
    const bound = this.runs.get(key);
    if (bound !== undefined) return bound === runId;
    this.runs.set(key, runId);
    const [oldest] = this.runs.keys();
    if (this.runs.size > MAX_REMEMBERED && oldest !== undefined) this.runs.delete(oldest);
    return true;
  }

  /** For a start that started nothing. */
  free(key: string): void {
    this.runs.delete(key);
  }
}
