import type { TemporalGateway } from '../service/gateway';
import type { Inbox } from '../service/inbox';
import type { InboxFollower } from './inbox-board';
import { InboxFeed } from './inbox-feed';
import { PollBudget } from './poll-budget';

/** The live inboxes of this process: one feed a workspace, gone with its last follower. */
export class InboxHub {
  private readonly feeds = new Map<string, { feed: InboxFeed; joined: number }>();
  private readonly polls = new PollBudget();
  private closed = false;

  constructor(
    private readonly gateway: TemporalGateway,
    private readonly inbox: Pick<Inbox, 'look'>,
  ) {}

  /** Streams that are open. */
  get size(): number {
    let size = 0;
    for (const { joined } of this.feeds.values()) size += joined;
    return size;
  }

  /**
   * Follows a workspace. Resolves once the snapshot is sent, with what ends it; with null when nothing was sent, because
   * the follower `isGone` or the process stops. Throws `engine_unavailable`.
   */
  async follow(workspace: string, follower: InboxFollower, isGone: () => boolean): Promise<(() => void) | null> {
    const entry = this.feeds.get(workspace) ?? this.open(workspace);
    entry.joined += 1;
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      entry.feed.leave(follower);
      entry.joined -= 1;
      if (entry.joined > 0) return;
      if (this.feeds.get(workspace) === entry) this.feeds.delete(workspace);
      entry.feed.stop();
    };
    try {
      if (await entry.feed.join(follower, () => isGone() || this.closed)) return leave;
    } catch (error) {
      leave();
      throw error;
    }
    leave();
    return null;
  }

  touched(workspace: string, runId: string): void {
    this.feeds.get(workspace)?.feed.touched(runId);
  }

  /** Runs that a live feed knows to wait. */
  waiting(workspace: string): string[] {
    return this.feeds.get(workspace)?.feed.waiting() ?? [];
  }

  /** Ends every stream: the process is about to stop. */
  close(): void {
    this.closed = true;
    for (const { feed } of this.feeds.values()) feed.stop();
    this.feeds.clear();
  }

  private open(workspace: string) {
    const { gateway, inbox, polls } = this;
    const deps = { gateway, inbox, polls, feeds: () => this.feeds.size };
    const entry = { feed: new InboxFeed(deps, workspace), joined: 0 };
    this.feeds.set(workspace, entry);
    return entry;
  }
}
