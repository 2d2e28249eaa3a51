/** The events of a run, over one connection however many parts of a page follow them. */
import type { RunEvent } from '../../workflows/contract';
import type { Api, ApiFailure } from './api';
import { EventStream, type StreamState } from './stream';

export interface FeedFollower {
  /** Every event from the first kept one on, in order; those of before come at once. */
  onEvent: (event: RunEvent) => void;
  onState: (state: StreamState, failure: ApiFailure | null) => void;
}

const TERMINAL = new Set(['run.completed', 'run.failed', 'run.cancelled']);
/** More than a run keeps itself. */
const KEPT_EVENTS = 5_000;

class RunFeed {
  private readonly events: RunEvent[] = [];
  private readonly followers = new Set<FeedFollower>();
  private state: StreamState = 'connecting';
  private failure: ApiFailure | null = null;
  private readonly stream: EventStream;

  constructor(api: Api, runId: string, private readonly onIdle: () => void) {
    this.stream = new EventStream(api, `/agents/${encodeURIComponent(runId)}/events`, {
      onFrame: ({ data }) => this.take(data as RunEvent),
      onState: (state, failure) => this.setState(state, failure),
    });
  }

  follow(follower: FeedFollower): () => void {
    this.followers.add(follower);
    for (const event of this.events) follower.onEvent(event);
    follower.onState(this.state, this.failure);
    return () => {
      if (!this.followers.delete(follower) || this.followers.size > 0) return;
      this.stream.close();
      this.onIdle();
    };
  }

  private take(event: RunEvent): void {
    this.events.push(event);
    if (this.events.length > KEPT_EVENTS) this.events.shift();
    for (const follower of this.followers) follower.onEvent(event);
    // The server closes the stream now; to connect again would only bring a 204.
    if (TERMINAL.has(event.type)) {
      this.stream.close();
      this.setState('ended', null);
    }
  }

  private setState(state: StreamState, failure: ApiFailure | null): void {
    this.state = state;
    this.failure = failure;
    for (const follower of this.followers) follower.onState(state, failure);
  }
}

const feeds = new WeakMap<Api, Map<string, RunFeed>>();

/** Follows a run's events. Returns what ends it. */
export function followRun(api: Api, runId: string, follower: FeedFollower): () => void {
  const ofApi = feeds.get(api) ?? new Map<string, RunFeed>();
  feeds.set(api, ofApi);
  const feed = ofApi.get(runId) ?? new RunFeed(api, runId, () => ofApi.delete(runId));
  ofApi.set(runId, feed);
  return feed.follow(follower);
}
