/**
 * The live inbox of one workspace, shared by all its watchers in this process. Visibility says with some lag which runs are
 * open; a long poll on the history of each says at once that something happened there; the run itself is then read.
 */
import type { TemporalGateway } from '../service/gateway';
import type { Inbox } from '../service/inbox';
import { readInboxRun, waitingBelow, type InboxRun } from '../service/inbox-asks';
import { byTimeOnFile, filedRuns, filedSince, isFiledAsWaiting, type FiledRun } from '../service/inbox-visibility';
import { InboxBoard, type InboxFollower } from './inbox-board';
import type { PollBudget, PollKind } from './poll-budget';
import { RunReader } from './run-reader';
import { pollRun } from './run-poll';

/**
 * Between two looks at what visibility has newly on file: one call each, and the feeds of a process take turns, for Temporal
 * takes ten such calls a second. Then, between two tries while Temporal does not answer.
 */
const SWEEP_MS = 300;
/** What is newer than this counts as new. Where visibility lags even longer, it is found when all is gone through. */
const NEW_MS = 30_000;
/** Every so many sweeps all that is on file is gone through. */
const FULL_SWEEP = 25;
/** Of the runs filed as running, so many of the newest are followed. */
const MAX_RUNNING = 200;
const RETRY_MS = 2_000;
/** The file is read within this time, or not at all. */
const FILE_MS = 5_000;
/** A run that neither waits nor is on file is followed this long: visibility may not have heard of it. */
const UNFILED_MS = 60_000;
/** Runs that wait and are followed, the oldest asks first; those beyond are counted. */
const MAX_WAITING = 2_000;
/** A poll begins at the start of a history: a longer one than this is read again from time to time instead. */
const MAX_POLLED_HISTORY = 1_000;
/** Of the runs without a poll, so many are read again at each sweep, in turn. */
const READ_AGAIN = 20;

interface Tracked {
  run: InboxRun['run'] | null;
  since: number;
  /** What visibility had on file at the last sweep. */
  filed: string | null;
  poll: { executionId: string; kind: PollKind; stop: () => void } | null;
}

export interface InboxFeedDeps {
  gateway: TemporalGateway;
  inbox: Pick<Inbox, 'look'>;
  polls: PollBudget;
  /** How many feeds this process has. */
  feeds: () => number;
}

export class InboxFeed {
  private readonly board = new InboxBoard();
  private readonly tracked = new Map<string, Tracked>();
  private readonly reader: RunReader;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private turn = 0;
  private sweeps = 0;

  constructor(
    private readonly deps: InboxFeedDeps,
    private readonly workspace: string,
  ) {
    const read = (runId: string) => readInboxRun(deps.gateway.forRequest(), workspace, runId);
    this.reader = new RunReader(read, (runId, run) => this.take(runId, run));
    this.sweepIn(SWEEP_MS);
  }

  get followers(): ReadonlySet<InboxFollower> {
    return this.board.followers;
  }

  /** Asks that this feed knows to be pending. */
  waiting(): string[] {
    return [...this.board.all()].map(({ run_id }) => run_id);
  }

  /**
   * Sends a snapshot, read after this call, and from then on what changes. Throws `engine_unavailable` before anything is
   * sent. False when the follower was not added: it `isGone` meanwhile, or the process is about to stop.
   */
  async join(follower: InboxFollower, isGone: () => boolean): Promise<boolean> {
    const began = this.reader.mark();
    const look = await this.deps.inbox.look(this.workspace);
    if (isGone() || this.stopped) return false;
    for (const run of look.unread.slice(0, MAX_WAITING)) {
      // Whoever follows already is told of what is new; for the first one all of it was there before.
      if (this.followers.size === 0) this.board.expect(run.runId, run);
      this.reader.read(run.runId);
    }
    for (const [runId, run] of look.read) this.reader.takeReadSince(began, runId, run);
    follower.send(this.board.snapshot(follower.filter));
    this.board.followers.add(follower);
    return true;
  }

  leave(follower: InboxFollower): void {
    this.board.followers.delete(follower);
  }

  /** Something was done to this run through this process. */
  touched(runId: string): void {
    this.track(runId);
    this.reader.read(runId);
  }

  stop(): void {
    this.stopped = true;
    this.reader.stop();
    clearTimeout(this.timer);
    for (const tracked of this.tracked.values()) this.stopPoll(tracked);
    for (const follower of [...this.followers]) follower.end();
  }

  private sweepIn(ms: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.sweep().then(
        () => this.sweepIn(SWEEP_MS * Math.max(1, this.deps.feeds())),
        () => this.sweepIn(RETRY_MS),
      );
    }, ms);
  }

  private async sweep(): Promise<void> {
    this.endClaims();
    const gateway = this.deps.gateway.forRequest(FILE_MS);
    if (this.sweeps % FULL_SWEEP === 0) await this.goThroughFile(gateway);
    else {
      const since = new Date(Date.now() - NEW_MS).toISOString();
      const open = await filedSince(gateway, this.workspace, since);
      if (this.stopped) return;
      for (const run of open) if (this.tracked.has(run.runId) || this.hasRoom(run)) this.compare(run);
    }
    this.sweeps += 1;
    for (const [runId, tracked] of this.tracked) this.poll(runId, tracked);
    this.readSomeAgain();
  }

  private async goThroughFile(gateway: TemporalGateway): Promise<void> {
    const filed = await filedRuns(gateway, this.workspace);
    if (this.stopped) return;
    const waiting = filed.filter(isFiledAsWaiting).sort(byTimeOnFile);
    this.board.expectBeyond(waiting.splice(MAX_WAITING));
    const running = filed.filter((run) => !isFiledAsWaiting(run)).slice(0, MAX_RUNNING);
    const onFile = new Map([...waiting, ...running].map((run) => [run.runId, run]));
    for (const run of onFile.values()) this.compare(run);
    for (const [runId, tracked] of this.tracked) if (!onFile.has(runId)) this.missing(runId, tracked);
  }

  private hasRoom(run: FiledRun): boolean {
    return !isFiledAsWaiting(run) || this.tracked.size < MAX_WAITING + MAX_RUNNING;
  }

  /** Reads a run of which visibility says something new, unless that is known already. */
  private compare({ runId, askedAt }: FiledRun): void {
    const tracked = this.track(runId);
    const filed = askedAt ?? 'running';
    if (tracked.filed === filed) return;
    tracked.filed = filed;
    const known = tracked.run && (this.board.ask(runId)?.asked_at ?? 'running');
    if (known !== filed) this.reader.read(runId);
  }

  /** A run that is not on file: it has ended, or is too new, or there are too many of its kind. */
  private missing(runId: string, tracked: Tracked): void {
    if (tracked.filed !== null) {
      tracked.filed = null;
      tracked.since = Date.now();
      this.reader.read(runId);
    } else if (!this.board.ask(runId) && Date.now() - tracked.since > UNFILED_MS) this.drop(runId);
  }

  private track(runId: string): Tracked {
    let tracked = this.tracked.get(runId);
    if (!tracked) {
      tracked = { run: null, since: Date.now(), filed: null, poll: null };
      this.tracked.set(runId, tracked);
    }
    return tracked;
  }

  private drop(runId: string): void {
    const tracked = this.tracked.get(runId);
    if (tracked) this.stopPoll(tracked);
    this.tracked.delete(runId);
  }

  /** Takes in what was just read of a run. */
  private take(runId: string, run: InboxRun | null): void {
    if (this.stopped) return;
    this.board.set(runId, run?.ask ?? null);
    if (!run || run.run.closed) return this.drop(runId);
    const tracked = this.track(runId);
    tracked.run = run.run;
    this.poll(runId, tracked);
    for (const below of waitingBelow(run)) {
      if (!this.board.ask(below)) this.reader.read(below);
    }
  }

  /** Holds a poll on a run, as long as there are some left for what it waits for. */
  private poll(runId: string, tracked: Tracked): void {
    const { run, poll } = tracked;
    if (!run || run.historyLength > MAX_POLLED_HISTORY) return;
    const kind = this.board.ask(runId) ? 'waiting' : 'running';
    if (poll?.executionId === run.executionId) {
      if (poll.kind === kind) return;
      if (this.deps.polls.take(kind)) {
        this.deps.polls.giveBack(poll.kind);
        poll.kind = kind;
        return;
      }
    }
    this.stopPoll(tracked);
    if (!this.deps.polls.take(kind)) return;
    const onNews = () => this.reader.read(runId);
    const onEnd = () => {
      this.stopPoll(tracked);
      onNews();
    };
    tracked.poll = { executionId: run.executionId, kind, stop: pollRun(this.deps.gateway, run, { onNews, onEnd }) };
  }

  private stopPoll(tracked: Tracked): void {
    if (!tracked.poll) return;
    tracked.poll.stop();
    this.deps.polls.giveBack(tracked.poll.kind);
    tracked.poll = null;
  }

  private readSomeAgain(): void {
    const unpolled = [...this.tracked].filter(([, { poll }]) => !poll).map(([runId]) => runId);
    for (let k = 0; k < Math.min(READ_AGAIN, unpolled.length); k += 1) {
      this.turn += 1;
      this.reader.read(unpolled[this.turn % unpolled.length] as string);
    }
  }

  /** A claim ends by its time, without a word from its run. */
  private endClaims(): void {
    const now = new Date().toISOString();
    for (const ask of [...this.board.all()]) {
      if (ask.claim && ask.claim.until <= now) this.board.set(ask.run_id, { ...ask, claim: null });
    }
  }
}
