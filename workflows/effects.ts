/** How often each effect of a run was recorded so far: `[name, count]`, since a name may be any text. */
export type EffectCounts = [name: string, count: number][];

/**
 * Numbers the effects of a run. Effects of one name go one after another, so that "the n-th of this name" is enough
 * for the activity to tell an effect from a retry of itself.
 */
export class Effects {
  private readonly lines = new Map<string, Promise<unknown>>();

  constructor(readonly counts: EffectCounts) {}

  /** Runs `record` once all earlier effects of that name are through, with its number, counted from 0. */
  async inTurn<T>(name: string, record: (nth: number) => Promise<T>): Promise<T> {
    const before = this.lines.get(name) ?? Promise.resolve();
    const mine = before.then(async () => {
      const result = await record(this.countOf(name));
      this.setCount(name, this.countOf(name) + 1);
      return result;
    });
    // The next one waits for this one to be over; whether it went well is told to this one's caller alone.
    this.lines.set(
      name,
      mine.catch(() => undefined),
    );
    return mine;
  }

  private countOf(name: string): number {
    return this.counts.find(([known]) => known === name)?.[1] ?? 0;
  }

  private setCount(name: string, count: number): void {
    const entry = this.counts.find(([known]) => known === name);
    if (entry) entry[1] = count;
    else this.counts.push([name, count]);
  }
}
