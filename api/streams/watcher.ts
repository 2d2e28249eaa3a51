/** Following one run: one history long poll, shared by everybody who watches it (DESIGN, "live stream"). */
import { temporal } from '@temporalio/proto';
import { LIMITS, type EventPage, type RunEvent } from '../../workflows/contract';
import { ApiError } from '../errors';
import { eventPage } from '../service/events';
import type { TemporalGateway } from '../service/gateway';
import { readRun } from '../service/lookup';

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED, EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW } =
  temporal.api.enums.v1.EventType;

/** Pauses between tries while the server, or every worker, is away. */
const RETRY_MS = [200, 500, 1_000, 2_000, 5_000] as const;

/** Somebody who follows a run. */
export interface Follower {
  /** Id of the last event it has. */
  cursor: number;
  send(events: RunEvent[]): void;
  end(): void;
}

/**
 * Follows one run for as long as it has followers. A poll tells that a workflow task was completed; only then are the
 * new events asked of the workflow, once for all followers. An idle run costs no worker anything.
 */
export class RunWatcher {
  private readonly followers = new Set<Follower>();
  private readonly abort = new AbortController();
  private ended = false;

  constructor(
    private readonly gateway: TemporalGateway,
    private readonly runId: string,
    private readonly executionId: string,
    private readonly onIdle: () => void,
  ) {}

  get followerCount(): number {
    return this.followers.size;
  }

  /** Adds a follower; the caller has sent it everything up to its cursor, or the next news will. */
  follow(follower: Follower): void {
    this.followers.add(follower);
    if (this.followers.size === 1) void this.run();
    // News may have come between the follower's last page and now; the first one of a run's gets it with its poll.
    else void this.catchUp(follower);
  }

  unfollow(follower: Follower): void {
    if (!this.followers.delete(follower) || this.followers.size > 0) return;
    this.abort.abort();
    this.onIdle();
  }

  private async run(): Promise<void> {
    let position: { executionId: string; token?: Uint8Array | undefined } = { executionId: this.executionId };
    let failures = 0;
    while (!this.abort.signal.aborted) {
      try {
        const { history, nextPageToken } = await this.gateway.pollHistory(this.runId, position, this.abort.signal);
        const events = history?.events ?? [];
        const next = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
        const closed = !nextPageToken || nextPageToken.length === 0;
        if (closed || events.some((event) => event.eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED)) {
          await this.deliverNews();
        }
        failures = 0;
        if (events.at(-1)?.eventType === EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW && next) {
          position = { executionId: next };
        } else if (closed) {
          this.finish();
          return;
        } else position = { ...position, token: nextPageToken };
      } catch (error) {
        if (this.abort.signal.aborted) return;
        if (error instanceof ApiError && error.code === 'run_not_found') {
          this.finish();
          return;
        }
        await pauseAfter(failures);
        failures += 1;
      }
    }
  }

  /** Asks for what is new since the follower that is furthest behind, and gives each its part. */
  private async deliverNews(): Promise<void> {
    for (;;) {
      const cursors = [...this.followers].map((follower) => follower.cursor);
      if (cursors.length === 0) return;
      const after = Math.min(...cursors);
      const page = await this.pageAfter(after);
      for (const follower of this.followers) giveNews(follower, page, after);
      if (!page.has_more) return;
    }
  }

  private async catchUp(follower: Follower): Promise<void> {
    let failures = 0;
    while (this.followers.has(follower)) {
      const after = follower.cursor;
      const page = await this.pageAfter(after).catch(() => null);
      if (!page) {
        // A run that waits may have no news for days: this follower does not wait for the next.
        await pauseAfter(failures);
        failures += 1;
        continue;
      }
      giveNews(follower, page, after);
      if (!page.has_more) break;
    }
    if (this.ended) follower.end();
  }

  private async pageAfter(after: number): Promise<EventPage> {
    const run = await readRun(this.gateway, this.runId);
    if (!run) throw new ApiError('run_not_found', 'not a run');
    return eventPage(this.gateway, run, after, LIMITS.eventPage);
  }

  private finish(): void {
    this.ended = true;
    for (const follower of [...this.followers]) follower.end();
  }
}

function pauseAfter(failures: number): Promise<void> {
  const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] as number;
  return new Promise((resolve) => setTimeout(resolve, pause));
}

/** Gives a follower its part of the page after `after`. */
function giveNews(follower: Follower, page: EventPage, after: number): void {
  // It came while the page was on its way and needs older events first: it is catching up by itself.
  if (follower.cursor < after) return;
  const reset = page.events[0]?.type === 'stream.reset';
  // A reset is for whoever has lost something, not for one that is merely behind another.
  const lost = reset && (follower.cursor > page.last_event_id || follower.cursor < page.first_event_id - 1);
  const events = page.events.filter((event) =>
    event.type === 'stream.reset' ? lost : lost || event.id > follower.cursor,
  );
  if (events.length === 0) return;
  follower.cursor = (events.at(-1) as RunEvent).id;
  follower.send(events);
}
