/** A run and the conversation around it, read again whenever its events say that something happened. */
import type { Ask, HoldpointError, RunEvent, RunList, RunRecord } from '../../../client';
import { failureOf, isPassing, type Connection } from '../../net/connection';
import type { StreamState } from '../../net/follow';
import { followRun } from '../../net/run-feed';

const SETTLE_MS = 120;
/** What happens two levels down does not reach the root's events: it is looked at now and then. */
const POLL_MS = 6_000;
const LIST_PAGE = 100;
const MAX_TREE = 400;

export class LiveRun {
  record: RunRecord | null = null;
  asks: readonly Ask[] = [];
  /** All runs of the conversation, in the order of their starts. */
  tree: readonly RunRecord[] = [];
  events: RunEvent[] = [];
  stream: StreamState = 'connecting';
  failure: HoldpointError | null = null;
  private unfollow: (() => void)[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private reading = false;
  private readAgain = false;
  private closed = false;
  private followsRoot = false;

  constructor(
    private readonly connection: Connection,
    readonly runId: string,
    private readonly onChange: () => void,
  ) {
    this.refresh();
    this.unfollow.push(
      followRun(connection, runId, {
        onEvent: (event) => {
          if (event.type === 'stream.reset') this.events = [];
          this.events.push(event);
          this.soon();
        },
        onState: (stream) => {
          this.stream = stream;
          this.soon();
        },
      }),
    );
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    for (const end of this.unfollow) end();
  }

  refresh(): void {
    if (this.reading) this.readAgain = true;
    else void this.read();
  }

  /** Many events come at once: one reading, and one drawing, for all of them. */
  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.onChange();
      this.refresh();
    }, SETTLE_MS);
  }

  private async read(): Promise<void> {
    this.reading = true;
    clearTimeout(this.timer);
    try {
      const record = await this.connection.client.get(this.runId);
      this.record = record;
      this.failure = null;
      if (!this.closed) this.onChange();
      const [asks, tree] = await Promise.all([this.readAsks(record), this.readTree(record)]);
      this.asks = asks;
      this.tree = tree;
      this.followRoot(record);
    } catch (error) {
      this.failure = failureOf(error);
    } finally {
      this.reading = false;
    }
    if (this.closed) return;
    this.onChange();
    if (this.readAgain) {
      this.readAgain = false;
      void this.read();
    } else if (this.mayChange) this.timer = setTimeout(() => this.refresh(), POLL_MS);
  }

  private get mayChange(): boolean {
    if (this.failure) return isPassing(this.failure);
    return this.record?.ended_at === null || this.tree.some((run) => run.ended_at === null);
  }

  private async readAsks(record: RunRecord): Promise<readonly Ask[]> {
    return record.ended_at === null ? this.connection.client.asks(this.runId) : [];
  }

  private async readTree(record: RunRecord): Promise<RunRecord[]> {
    const runs: RunRecord[] = [];
    let cursor: string | undefined;
    do {
      const filter = { root_run_id: record.root_run_id, limit: LIST_PAGE, cursor };
      const page: RunList = await this.connection.client.list(filter);
      runs.push(...page.runs);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined && runs.length < MAX_TREE);
    // Lists are found by an index that lags: the run itself is here already.
    if (!runs.some((run) => run.run_id === record.run_id)) runs.push(record);
    return runs.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  }

  /** Questions from anywhere in the conversation reach the root. */
  private followRoot(record: RunRecord): void {
    if (this.followsRoot || this.closed || record.root_run_id === record.run_id) return;
    this.followsRoot = true;
    const follower = { onEvent: () => this.soon(), onState: () => undefined };
    this.unfollow.push(followRun(this.connection, record.root_run_id, follower));
  }
}
