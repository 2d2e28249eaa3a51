/** A run and the conversation around it, read again whenever its events say that something happened. */
import type { Question, RunEvent, RunRecord } from '../../../workflows/contract';
import { ApiFailure, type Api } from '../../net/api';
import { followRun } from '../../net/run-feed';
import type { StreamState } from '../../net/stream';

export interface PendingAsk extends Question {
  run_id: string;
}

const SETTLE_MS = 120;
/** What happens two levels down does not reach the root's events: it is looked at now and then. */
const POLL_MS = 6_000;
const LIST_PAGE = 100;
const MAX_TREE = 400;

export class LiveRun {
  record: RunRecord | null = null;
  asks: readonly PendingAsk[] = [];
  /** All runs of the conversation, in the order of their starts. */
  tree: readonly RunRecord[] = [];
  events: RunEvent[] = [];
  stream: StreamState = 'connecting';
  failure: ApiFailure | null = null;
  private unfollow: (() => void)[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private reading = false;
  private readAgain = false;
  private closed = false;
  private followsRoot = false;

  constructor(
    private readonly api: Api,
    readonly runId: string,
    private readonly onChange: () => void,
  ) {
    this.refresh();
    this.unfollow.push(
      followRun(api, runId, {
        onEvent: (event) => {
          this.events = [...this.events, event];
          this.soon();
        },
        onState: (stream) => {
          this.stream = stream;
          if (stream === 'live') this.soon();
          this.onChange();
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

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), SETTLE_MS);
    this.onChange();
  }

  private async read(): Promise<void> {
    this.reading = true;
    clearTimeout(this.timer);
    try {
      const path = `/agents/${encodeURIComponent(this.runId)}`;
      const { body: record } = await this.api.call<RunRecord>('GET', path);
      this.record = record;
      this.failure = null;
      if (!this.closed) this.onChange();
      const [asks, tree] = await Promise.all([this.readAsks(path, record), this.readTree(record)]);
      this.asks = asks;
      this.tree = tree;
      this.followRoot(record);
    } catch (error) {
      this.failure = error instanceof ApiFailure ? error : new ApiFailure(0, 'unreachable', String(error));
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
    if (this.failure) return this.failure.isPassing;
    return this.record?.ended_at === null || this.tree.some((run) => run.ended_at === null);
  }

  private async readAsks(path: string, record: RunRecord): Promise<readonly PendingAsk[]> {
    if (record.ended_at !== null) return [];
    return (await this.api.call<{ asks: PendingAsk[] }>('GET', `${path}/asks`)).body.asks;
  }

  private async readTree(record: RunRecord): Promise<RunRecord[]> {
    const runs: RunRecord[] = [];
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ root_run_id: record.root_run_id, limit: String(LIST_PAGE) });
      if (cursor !== null) query.set('cursor', cursor);
      const { body }: { body: { runs: RunRecord[]; next_cursor: string | null } } = await this.api.call('GET', `/agents?${query}`);
      runs.push(...body.runs);
      cursor = body.next_cursor;
    } while (cursor !== null && runs.length < MAX_TREE);
    // Lists are found by an index that lags: the run itself is here already.
    if (!runs.some((run) => run.run_id === record.run_id)) runs.push(record);
    return runs.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  }

  /** Questions from anywhere in the conversation reach the root. */
  private followRoot(record: RunRecord): void {
    if (this.followsRoot || this.closed || record.root_run_id === record.run_id) return;
    this.followsRoot = true;
    const follower = { onEvent: () => this.soon(), onState: () => undefined };
    this.unfollow.push(followRun(this.api, record.root_run_id, follower));
  }
}
