/** Long polls that one process holds for its inbox streams at most, whatever they follow. Each is an open call to Temporal. */
const MAX_POLLS = 300;

export class PollBudget {
  private held = 0;

  /** True when there was one left: it is the caller's until it is given back. */
  take(): boolean {
    if (this.held >= MAX_POLLS) return false;
    this.held += 1;
    return true;
  }

  giveBack(): void {
    this.held -= 1;
  }
}
