/** One run of a segment: what its events and its transcript have told so far, and what of it is still to be passed on. */
import { LIMITS, type Message, type RunEvent } from '../../workflows/contract';
import type { Principal } from '../keys';
import type { RunService } from '../service/runs';
import { OpenCalls } from './interrupts';
import type { PlacedMessage } from './messages';
import { RunView } from './run-view';

export class FollowedRun {
  readonly view: RunView;
  readonly calls = new OpenCalls();
  /** Events that came and were not passed on. */
  readonly news: RunEvent[] = [];
  /** True when no more events come: the run is over, or nobody follows it any more. */
  gone = false;
  private position = 0;
  private stopFollowing: (() => void) | null = null;

  constructor(
    private readonly service: RunService,
    private readonly principal: Principal,
    run: { runId: string; agent: string; parentId: string | null },
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

  /** Follows the run from where its view is; `onNews` is called for each arrival, and for the end. */
  async follow(onNews: () => void): Promise<void> {
    const run = await this.service.find(this.principal, this.view.runId);
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

  unfollow(): void {
    this.stopFollowing?.();
    this.stopFollowing = null;
  }

  /** The messages since the last call. Whoever gets an error gets them with the next one. */
  async newMessages(): Promise<PlacedMessage[]> {
    const { runId } = this.view;
    const placed: PlacedMessage[] = [];
    for (let from = this.position; ;) {
      const page = await this.service.messages(this.principal, runId, { from, limit: LIMITS.eventPage });
      placed.push(...page.messages.map((message, i) => ({ runId, position: page.from + i, message })));
      from = page.from + page.messages.length;
      if (page.has_more && page.messages.length > 0) continue;
      this.position = from;
      placed.forEach(({ message }: { message: Message }) => this.calls.take(message));
      return placed;
    }
  }
}
