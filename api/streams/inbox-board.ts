/** What an inbox stream knows of its workspace: which asks are pending, and what each follower is told of a change. */
import { pageOf, mayFit, type InboxPage } from '../service/inbox';
import { fitsInbox, oldestFirst, type InboxAsk, type InboxFilter, type InboxPlace } from '../service/inbox-asks';
import type { FiledRun } from '../service/inbox-visibility';

/** `count`: pending asks that match, after the change. */
export type InboxEvent =
  | ({ type: 'inbox.snapshot' } & InboxPage)
  | { type: 'ask.opened' | 'ask.changed'; ask: InboxAsk; count: number }
  | { type: 'ask.closed'; run_id: string; ask_id: string; count: number };

/** Somebody who follows an inbox. */
export interface InboxFollower {
  filter: InboxFilter;
  send(event: InboxEvent): void;
  end(): void;
}

/** Asks of one snapshot; the rest is paged through from its `next_cursor`. */
const SNAPSHOT_ASKS = 100;

type Filed = Pick<FiledRun, 'agent' | 'assignee' | 'askedAt'>;
/** Before every ask there is. */
const START: InboxPlace = { asked_at: '', run_id: '' };

export class InboxBoard {
  private readonly asks = new Map<string, InboxAsk>();
  /** Runs filed as waiting that were never read: counted, and told of only once something is known of them. */
  private readonly unread = new Map<string, Filed>();
  /** Runs filed as waiting that are too many to be followed. */
  private beyond: readonly (Filed & { runId: string })[] = [];
  readonly followers = new Set<InboxFollower>();

  ask(runId: string): InboxAsk | undefined {
    return this.asks.get(runId);
  }

  all(): IterableIterator<InboxAsk> {
    return this.asks.values();
  }

  /** Counts a run that visibility files as waiting, until it is read. */
  expect(runId: string, filed: Filed): void {
    if (!this.asks.has(runId)) this.unread.set(runId, filed);
  }

  /** Counts these runs instead of those named before: there are too many to follow them. */
  expectBeyond(runs: readonly (Filed & { runId: string })[]): void {
    this.beyond = runs;
  }

  /** A run's pending ask is this one now. Tells every follower what that changes for it. */
  set(runId: string, now: InboxAsk | null): void {
    const was = this.asks.get(runId) ?? null;
    const wasExpected = this.unread.delete(runId);
    if (now) this.asks.set(runId, now);
    else this.asks.delete(runId);
    // It was part of the count before anybody was told of it.
    if (wasExpected && now) return;
    if (was && now && was.ask_id === now.ask_id) {
      if (JSON.stringify(was) !== JSON.stringify(now)) this.tell(was, now);
    } else {
      if (was) this.tell(was, null);
      if (now) this.tell(null, now);
    }
  }

  /** The first page. What was not read yet is paged to: nothing is shown that it may come before. */
  snapshot(filter: InboxFilter): InboxEvent {
    const asks = [...this.asks.values()].filter((ask) => fitsInbox(ask, filter)).sort(oldestFirst);
    const first = this.firstUnread(filter);
    const inTurn = first ? asks.filter((ask) => oldestFirst(ask, first) < 0) : asks;
    const more = first && (inTurn.at(-1) ?? START);
    return { type: 'inbox.snapshot', ...pageOf(inTurn, SNAPSHOT_ASKS, this.count(filter), more) };
  }

  private firstUnread(filter: InboxFilter): InboxPlace | undefined {
    const beyond = this.beyond.map((run) => [run.runId, run] as const);
    let first: InboxPlace | undefined;
    for (const [run_id, run] of [...this.unread, ...beyond]) {
      if (this.asks.has(run_id) || !mayFit(run, filter)) continue;
      const place = { asked_at: run.askedAt ?? '', run_id };
      if (!first || oldestFirst(place, first) < 0) first = place;
    }
    return first;
  }

  private count(filter: InboxFilter): number {
    let count = 0;
    for (const ask of this.asks.values()) if (fitsInbox(ask, filter)) count += 1;
    for (const run of this.unread.values()) if (mayFit(run, filter)) count += 1;
    for (const run of this.beyond) if (!this.asks.has(run.runId) && mayFit(run, filter)) count += 1;
    return count;
  }

  private tell(was: InboxAsk | null, now: InboxAsk | null): void {
    const counts = new Map<string, number>();
    for (const follower of [...this.followers]) {
      const { filter } = follower;
      const before = was && fitsInbox(was, filter) ? was : null;
      const after = now && fitsInbox(now, filter) ? now : null;
      if (!before && !after) continue;
      const key = JSON.stringify([filter.agent, filter.assignee]);
      const count = counts.get(key) ?? this.count(filter);
      counts.set(key, count);
      if (after) follower.send({ type: before ? 'ask.changed' : 'ask.opened', ask: after, count });
      else if (before) follower.send({ type: 'ask.closed', run_id: before.run_id, ask_id: before.ask_id, count });
    }
  }
}
