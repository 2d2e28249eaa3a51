import type { TemporalGateway } from '../service/gateway';
import type { FoundRun } from '../service/lookup';
import { RunWatcher, type Follower } from './watcher';

/** All runs that somebody watches through this process: one watcher each, gone with its last follower. */
export class StreamHub {
  private readonly watchers = new Map<string, RunWatcher>();
  private readonly followers = new Set<Follower>();

  constructor(private readonly gateway: TemporalGateway) {}

  /** Streams that are open. */
  get size(): number {
    return this.followers.size;
  }

  /** Follows a run from `follower.cursor` on. Returns what ends it; ending twice does no harm. */
  follow(run: FoundRun, follower: Follower): () => void {
    let watcher = this.watchers.get(run.runId);
    if (!watcher) {
      watcher = new RunWatcher(this.gateway, run.runId, run.executionId, () => this.watchers.delete(run.runId));
      this.watchers.set(run.runId, watcher);
    }
    this.followers.add(follower);
    watcher.follow(follower);
    return () => {
      this.followers.delete(follower);
      watcher.unfollow(follower);
    };
  }

  /** Ends every stream: the process is about to stop. */
  close(): void {
    for (const follower of [...this.followers]) follower.end();
  }
}
