/** One run of a segment: what its events and its transcript have told so far, and what of it is still to be passed on. */
import { LIMITS, type RunEvent } from '../../workflows/contract';
import { ApiError } from '../errors';
import type { Principal } from '../keys';
import type { RunService } from '../service/runs';
import { OpenCalls } from './interrupts';
import type { PlacedMessage } from './messages';
import { RunView } from './run-view';

/** Pauses between tries while the server, or every worker, is away, in milliseconds. */
const RETRY_MS = [200, 500, 1_000, 2_000, 5_000] as const;

export function pauseAfter(failures: number): number {
  return RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] as number;
}

export class FollowedRun {
  readonly view: RunView;
  readonly calls = new OpenCalls();
  /** Events that came and were not passed on. */
  readonly news: RunEvent[] = [];
  /** True when no more events come: the run is over, or nobody follows it any more. */
  gone = false;
  private held: readonly PlacedMessage[] = [];
  private position = 0;
  private stopFollowing: (() => void) | null = null;

  constructor(
    private readonly service: RunService,
    private readonly principal: Principal,
    run: { runId: string; agent: string; parentId: string | null },
    /** True once there is nobody left to follow it for. */
    private readonly isStopped: () => boolean,
  ) {
    this.view = new RunView(run.runId, run.agent, run.parentId);
  }

  /** Takes what has happened so far, without passing it on. */
  async load(): Promise<void> {
    const { runId } = this.view;
    for (;;) {
      const page = { after: this.view.cursor, limit: LIMITS.eventPage };
      const { events, has_more } = await this.service.events(this.principal, runId, page);
      for (const event of events) this.view.take(event);
      if (!has_more) return;
    }
  }

  /**
   * Follows the run from where its view is; `onNews` is called for each arrival, and for the end. Tries until it can, or
   * nobody is there to follow it for.
   */
  async follow(onNews: () => void): Promise<void> {
    const run = await this.patiently(() => this.service.find(this.principal, this.view.runId));
    if (run && !this.isStopped()) {
      this.stopFollowing = this.service.follow(run, {
        cursor: this.view.cursor,
        send: (events) => {
          this.news.push(...events);
          onNews();
        },
        end: () => {
          this.gone = true;
          onNews();
        },
      });
    }
    onNews();
  }

  unfollow(): void {
    this.stopFollowing?.();
    this.stopFollowing = null;
  }

  /** Messages that come again with the next new ones. */
  hold(messages: readonly PlacedMessage[]): void {
    this.held = messages;
  }

  /** The messages since the last call, as soon as they can be read, behind those that were held. */
  async newMessages(): Promise<PlacedMessage[]> {
    const { runId } = this.view;
    const placed: PlacedMessage[] = [...this.held];
    this.held = [];
    for (;;) {
      const range = { from: this.position, limit: LIMITS.eventPage };
      const page = await this.patiently(() => this.service.messages(this.principal, runId, range));
      if (!page) return placed;
      placed.push(...page.messages.map((message, i) => ({ runId, position: page.from + i, message })));
      for (const message of page.messages) this.calls.take(message);
      this.position = Math.max(this.position, page.from + page.messages.length);
      if (!page.has_more || page.messages.length === 0) return placed;
    }
  }

  /** Does it until it is done; null when there is nobody to do it for, or the run is gone. */
  private async patiently<Value>(fn: () => Promise<Value>): Promise<Value | null> {
    for (let tries = 0; !this.isStopped(); tries += 1) {
      try {
        return await fn();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.code === 'run_not_found') {
          this.gone = true;
          return null;
        }
        await new Promise((resolve) => setTimeout(resolve, pauseAfter(tries)));
      }
    }
    return null;
  }
}
