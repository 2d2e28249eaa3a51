/** Times of a run. All ISO 8601 in UTC with milliseconds, all from the workflow's own clock. */
export interface WaitingClockData {
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  /** Milliseconds of the pauses that are over. */
  waited_ms: number;
  waiting_since: string | null;
}

/** Counts how long a run waited for people. */
export class WaitingClock {
  constructor(private readonly data: WaitingClockData) {}

  touch(now: string): void {
    this.data.updated_at = now;
  }

  pause(now: string): void {
    this.data.waiting_since = now;
  }

  resume(now: string): void {
    if (this.data.waiting_since === null) return;
    this.data.waited_ms += Math.max(0, Date.parse(now) - Date.parse(this.data.waiting_since));
    this.data.waiting_since = null;
  }

  end(now: string): void {
    this.resume(now);
    this.data.ended_at = now;
    this.data.updated_at = now;
  }

  get times(): Readonly<WaitingClockData> {
    return this.data;
  }
}
