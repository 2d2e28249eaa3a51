/** The events of a run, over one connection however many parts of a page follow them. */
import type { RunEvent } from '../../client';
import type { Connection } from './connection';
import { follow, type StreamState } from './follow';

export interface FeedFollower {
  /** Every event from the first kept one on, in order; those of before come at once. `stream.reset` begins anew. */
  onEvent: (event: RunEvent) => void;
  onState: (state: StreamState) => void;
}

/** More than a run keeps itself. */
const KEPT_EVENTS = 5_000;

class RunFeed {
  private events: RunEvent[] = [];
  private readonly followers = new Set<FeedFollower>();
  private state: StreamState = 'connecting';
  private readonly end: () => void;

  constructor(
    connection: Connection,
    runId: string,
    private readonly onIdle: () => void,
  ) {
    this.end = follow<RunEvent>({
      open: (options) => connection.client.watch(runId, { ...options, ...this.cursor }),
      onItem: (event) => this.take(event),
      onState: (state) => {
        this.state = state;
        for (const follower of this.followers) follower.onState(state);
      },
    });
  }

  private get cursor(): { after?: number } {
    const last = this.events.at(-1);
    return last ? { after: last.id } : {};
  }

  follow(follower: FeedFollower): () => void {
    this.followers.add(follower);
    for (const event of this.events) follower.onEvent(event);
    follower.onState(this.state);
    return () => {
      if (!this.followers.delete(follower) || this.followers.size > 0) return;
      this.end();
      this.onIdle();
    };
  }

  private take(event: RunEvent): void {
    if (event.type === 'stream.reset') this.events = [];
    else this.events.push(event);
    if (this.events.length > KEPT_EVENTS) this.events.shift();
    for (const follower of this.followers) follower.onEvent(event);
  }
}

const feeds = new WeakMap<Connection, Map<string, RunFeed>>();

/** Follows a run's events. Returns what ends it. */
export function followRun(connection: Connection, runId: string, follower: FeedFollower): () => void {
  const ofApi = feeds.get(connection) ?? new Map<string, RunFeed>();
  feeds.set(connection, ofApi);
  const feed = ofApi.get(runId) ?? new RunFeed(connection, runId, () => ofApi.delete(runId));
  ofApi.set(runId, feed);
  return feed.follow(follower);
}
