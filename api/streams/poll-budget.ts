/**
 * Long polls that one process holds for its inbox streams at most, by what they wait for. Few, since all processes together
 * have 1,200 polls on histories by default (`frontend.namespaceCount`), those of watched runs among them.
 */
const MAX_POLLS = { waiting: 100, running: 100 } as const;
export type PollKind = keyof typeof MAX_POLLS;

/** Runs that wait must not use up what runs that may ask need, nor the other way round. */
export class PollBudget {
  private readonly held: Record<PollKind, number> = { waiting: 0, running: 0 };

  /** True when there was one left: it is the caller's until it is given back. */
  take(kind: PollKind): boolean {
    if (this.held[kind] >= MAX_POLLS[kind]) return false;
    this.held[kind] += 1;
    return true;
  }

  giveBack(kind: PollKind): void {
    this.held[kind] -= 1;
  }
}
