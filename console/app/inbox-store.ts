/** Questions that wait in the workspace, as the inbox shows them, kept up to date by its stream. */
import type { HoldpointError, InboxAsk, InboxEvent } from '../../client';
import { failureOf, type Connection } from '../net/connection';
import { follow, type StreamState } from '../net/follow';

export type { InboxAsk };

export interface InboxFilter {
  assignee?: string;
  agent?: string;
}

/** The stream is not followed while nobody looks; the count in the title is. */
const HIDDEN_POLL_MS = 30_000;
/** A server that is too busy for a page is given some time before it is asked again. */
const MORE_AGAIN_MS = 3_000;
const PAGE = 100;

export const nameOf = (ask: { run_id: string; ask_id: string }) => `${ask.run_id} ${ask.ask_id}`;

/** Dispatches `change`, and `opened` with an ask that has just been asked. */
export class InboxStore extends EventTarget {
  /** Oldest first, as many as were read; null until there is something to show. */
  asks: readonly InboxAsk[] | null = null;
  /** All that wait, those that were not read yet too. */
  count = 0;
  failure: HoldpointError | null = null;
  state: StreamState = 'connecting';
  loadingMore = false;
  /** The next page could not be read; it is tried again by itself. */
  moreFailed = false;
  private moreTimer: ReturnType<typeof setTimeout> | undefined;
  private cursor: string | null = null;
  private readonly end: () => void;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly filter: InboxFilter = {},
  ) {
    super();
    this.end = follow<InboxEvent>({
      open: (options) => connection.client.watchInbox({ ...this.filter, ...options }),
      onItem: (event) => this.take(event),
      onState: (state, failure) => {
        this.state = state;
        if (state === 'live') this.failure = null;
        else if (failure) this.failure = failure;
        if (state === 'paused') this.pollCount();
        this.changed();
      },
    });
  }

  close(): void {
    clearTimeout(this.timer);
    clearTimeout(this.moreTimer);
    this.end();
  }

  get hasMore(): boolean {
    return this.cursor !== null;
  }

  /** Reads the next page. */
  async loadMore(): Promise<void> {
    const { cursor } = this;
    if (cursor === null || this.loadingMore) return;
    clearTimeout(this.moreTimer);
    this.loadingMore = true;
    this.changed();
    try {
      const page = await this.connection.client.inbox({ ...this.filter, limit: PAGE, cursor });
      // A new snapshot has begun the list anew meanwhile.
      if (this.cursor !== cursor) return;
      this.cursor = page.next_cursor;
      this.count = page.count;
      this.merge(page.asks);
      this.moreFailed = false;
    } catch (error) {
      this.failure = failureOf(error);
      this.moreFailed = true;
      this.moreTimer = setTimeout(() => void this.loadMore(), MORE_AGAIN_MS);
    } finally {
      this.loadingMore = false;
      this.changed();
    }
  }

  /** An ask that was answered here is gone at once; the stream says so a moment later. */
  drop(ask: { run_id: string; ask_id: string }): void {
    const kept = (this.asks ?? []).filter((known) => nameOf(known) !== nameOf(ask));
    if (kept.length === this.asks?.length) return;
    this.asks = kept;
    this.count = Math.max(kept.length, this.count - 1);
    this.changed();
  }

  private take(event: InboxEvent): void {
    clearTimeout(this.timer);
    this.count = event.data.count;
    switch (event.type) {
      case 'inbox.snapshot':
        this.asks = event.data.asks;
        this.cursor = event.data.next_cursor;
        this.moreFailed = false;
        break;
      case 'ask.opened':
      case 'ask.changed':
        this.merge([event.data.ask]);
        break;
      case 'ask.closed':
        this.drop(event.data);
        this.count = event.data.count;
    }
    this.changed();
    if (event.type === 'ask.opened')
      this.dispatchEvent(new CustomEvent<InboxAsk>('opened', { detail: event.data.ask }));
  }

  private merge(asks: readonly InboxAsk[]): void {
    const known = new Map([...(this.asks ?? []), ...asks].map((ask) => [nameOf(ask), ask]));
    const sorted = [...known.values()].sort(oldestFirst);
    this.asks = sorted;
  }

  private pollCount(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.state !== 'paused') return;
      const read = this.connection.client.inbox({ ...this.filter, limit: 1 });
      read
        .then(({ count }) => (this.count = count))
        .catch(() => undefined)
        .finally(() => {
          this.changed();
          this.pollCount();
        });
    }, HIDDEN_POLL_MS);
  }

  private changed(): void {
    this.dispatchEvent(new Event('change'));
  }
}

function oldestFirst(a: InboxAsk, b: InboxAsk): number {
  if (a.asked_at !== b.asked_at) return a.asked_at < b.asked_at ? -1 : 1;
  return a.run_id < b.run_id ? -1 : 1;
}
