import type { InboxRun } from '../service/inbox-asks';

/** Reads under way at once. */
const AT_ONCE = 16;
/** A read that fails is tried again after this long. */
const RETRY_MS = 1_000;
/** Runs of which the last read is remembered, the newest. */
const MAX_TAKEN = 5_000;

/**
 * Reads runs on request, each at most once at a time: whoever asks while a run is being read gets it read once more after.
 * What was read is handed over unless something that was read later has been before.
 */
export class RunReader {
  private readonly waiting = new Set<string>();
  private readonly underWay = new Set<string>();
  /** For each run, when what was last handed over was begun to be read. */
  private readonly taken = new Map<string, number>();
  private clock = 0;
  private stopped = false;

  constructor(
    private readonly readRun: (runId: string) => Promise<InboxRun | null>,
    private readonly take: (runId: string, run: InboxRun | null) => void,
  ) {}

  read(runId: string): void {
    if (this.stopped) return;
    this.waiting.add(runId);
    this.next();
  }

  /** A moment, for `takeReadSince`. */
  mark(): number {
    return (this.clock += 1);
  }

  /** Takes in what somebody else has read since `mark`. */
  takeReadSince(mark: number, runId: string, run: InboxRun | null): void {
    if ((this.taken.get(runId) ?? 0) > mark) return;
    if (this.stopped) return;
    // The oldest are of no use any more: no read that old is under way.
    this.taken.delete(runId);
    this.taken.set(runId, mark);
    const [oldest] = this.taken.keys();
    if (this.taken.size > MAX_TAKEN && oldest !== undefined) this.taken.delete(oldest);
    this.take(runId, run);
  }

  /** Nothing more is read or handed over. */
  stop(): void {
    this.stopped = true;
    this.waiting.clear();
  }

  private next(): void {
    for (const runId of this.waiting) {
      if (this.underWay.size >= AT_ONCE) return;
      if (this.underWay.has(runId)) continue;
      this.waiting.delete(runId);
      this.underWay.add(runId);
      void this.readNow(runId);
    }
  }

  private async readNow(runId: string): Promise<void> {
    const began = this.mark();
    try {
      const run = await this.readRun(runId);
      this.takeReadSince(began, runId, run);
    } catch {
      setTimeout(() => this.read(runId), RETRY_MS).unref();
    }
    this.underWay.delete(runId);
    this.next();
  }
}
