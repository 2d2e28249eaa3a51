/** The one service behind every door: HTTP now, others later. Each method is one thing that a caller can do. */
import { shownDefinition } from '../../activities/agents';
import {
  LIMITS,
  QUERIES,
  type Channel,
  type Definition,
  type EventPage,
  type MessagePage,
  type Question,
  type RunRecord,
  type StartRun,
} from '../../workflows/contract';
import { runNotWaiting } from '../errors';
import type { Principal } from '../keys';
import { ApiMetrics, type AnswerFacts } from '../metrics/api-metrics';
import { note } from '../request-log';
import type { Follower } from '../streams/watcher';
import { StreamHub } from '../streams/hub';
import type { InboxFollower } from '../streams/inbox-board';
import { InboxHub } from '../streams/inbox-hub';
import { allAsks, pendingAsks, type AskView } from './asks';
import { claimAsk, releaseAsk, type ClaimReply, type ClaimRequest } from './claim';
import { eventPage } from './events';
import { DEADLINES, type TemporalGateway } from './gateway';
import { Inbox, type InboxPage } from './inbox';
import type { InboxFilter } from './inbox-asks';
import { listRuns, type RunFilter, type RunPage } from './list';
import { KeyedStarts } from './keyed-starts';
import { findRun, type FoundRun } from './lookup';
import { RecentRuns, type ListEntry } from './recent';
import { recordInAnyCase, recordOf, untilNoneWaitsBelow } from './record';
import { resumeRun, type ResumeReply, type ResumeRequest } from './resume';
import { startRun, type StartableAgent } from './start';
import { KnownSteps, oldestWaiting, timelineOf, type Timeline, type Waiting } from './timeline';

/** Of the runs that were touched through this process, so many are read at each look at an inbox. */
const TOUCHED_IN_INBOX = 100;

export class RunService {
  readonly streams: StreamHub;
  private readonly recent = new RecentRuns();
  private readonly keyedStarts = new KeyedStarts();
  private readonly inbox: Inbox;
  private readonly inboxes: InboxHub;
  private readonly knownSteps = new KnownSteps();

  constructor(
    private readonly gateway: TemporalGateway,
    private readonly agents: ReadonlyMap<string, StartableAgent>,
    private readonly metrics: ApiMetrics = new ApiMetrics(),
  ) {
    this.streams = new StreamHub(gateway);
    const known = (workspace: string) => ({
      touched: this.recent.newest(workspace, TOUCHED_IN_INBOX),
      waiting: this.inboxes.waiting(workspace),
    });
    this.inbox = new Inbox(gateway, known);
    this.inboxes = new InboxHub(gateway, this.inbox);
    metrics.observe({
      openStreams: () => ({ run: this.streams.size, inbox: this.inboxes.size }),
      countPending: () => this.countPending(),
    });
  }

  async start(principal: Principal, body: StartRun, idempotencyKey?: string): Promise<RunRecord> {
    const deps = { gateway: this.gateway.forRequest(), agents: this.agents, keyedStarts: this.keyedStarts };
    const record = await startRun(deps, principal, body, idempotencyKey);
    note({ run_id: record.run_id });
    this.touched(principal, { runId: record.run_id, started: record.created_at });
    return record;
  }

  /** The agents that can be started, as this process knows them. The same for every workspace. */
  definitions(): Definition[] {
    return [...this.agents.values()].map(shownDefinition);
  }

  async read(principal: Principal, runId: string): Promise<RunRecord> {
    const gateway = this.gateway.forRequest();
    return recordOf(gateway, await findRun(gateway, principal, runId));
  }

  async list(
    principal: Principal,
    filter: RunFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<RunPage> {
    const recent = this.recent.of(principal.workspace);
    return listRuns(this.gateway.forRequest(), principal, filter, { ...page, recent });
  }

  async resume(principal: Principal, runId: string, request: ResumeRequest): Promise<ResumeReply> {
    const facts: AnswerFacts = { channel: request.channel };
    return this.metrics.answer(facts, async () => {
      const gateway = this.gateway.forRequest();
      const run = await findRun(gateway, principal, runId);
      isFor(facts, run.snapshot.pending);
      const reply = await resumeRun(gateway, principal, run, request);
      this.touched(principal, { runId, started: run.startedAt });
      return reply;
    });
  }

  /** Counts answers that a door refused together, before it sent any of them. */
  countRefused(channel: Channel, error: unknown, answers: number): void {
    this.metrics.refused(channel, error, answers);
  }

  async claim(principal: Principal, runId: string, request: ClaimRequest): Promise<ClaimReply> {
    const gateway = this.gateway.forRequest();
    const reply = await claimAsk(gateway, principal, await findRun(gateway, principal, runId), request);
    this.inboxes.touched(principal.workspace, runId);
    return reply;
  }

  async release(principal: Principal, runId: string, request: Pick<ClaimRequest, 'ask_id'>): Promise<ClaimReply> {
    const gateway = this.gateway.forRequest();
    const reply = await releaseAsk(gateway, principal, await findRun(gateway, principal, runId), request);
    this.inboxes.touched(principal.workspace, runId);
    return reply;
  }

  /** The run's steps, and the oldest question of its conversation. Needs no worker, which only the steps come from. */
  async timeline(principal: Principal, runId: string): Promise<Timeline> {
    const gateway = this.gateway.forRequest();
    return timelineOf(gateway, await findRun(gateway, principal, runId), this.knownSteps);
  }

  /**
   * Answers the oldest question of a run's conversation, whichever run asks it. `requestFor` judges what came in for that
   * question and throws when it is refused. Comes back with the timeline after the answer: once that is taken, nothing that
   * goes wrong afterwards may look as if it were not.
   */
  async answerOldest(
    principal: Principal,
    runId: string,
    requestFor: (run: FoundRun, waiting: Waiting | null) => ResumeRequest,
  ): Promise<{ timeline: Timeline; queued: boolean }> {
    const gateway = this.gateway.forRequest();
    const facts: AnswerFacts = { channel: 'mission_control' };
    const { run, waiting, queued } = await this.metrics.answer(facts, async () => {
      const run = await findRun(gateway, principal, runId);
      const waiting = await oldestWaiting(gateway, run);
      isFor(facts, waiting?.question ?? null);
      const request = requestFor(run, waiting);
      facts.channel = request.channel;
      if (!waiting) throw runNotWaiting();
      const { asker } = waiting;
      const { queued } = await resumeRun(gateway, principal, asker, request);
      this.touched(principal, { runId: asker.runId, started: asker.startedAt });
      return { run, waiting, queued };
    });
    const now = await findRun(gateway, principal, runId).catch(() => null);
    const timeline = now && (await timelineOf(gateway, now, this.knownSteps, { ask: !queued }).catch(() => null));
    return { timeline: timeline ?? { run, steps: [], waiting: queued ? waiting : null }, queued };
  }

  /**
   * Asks the run to cancel and waits a moment for its workflow to have heard, so that the record which comes back no
   * longer shows an open question. With no worker up the request is durable all the same.
   */
  async cancel(principal: Principal, runId: string): Promise<RunRecord> {
    const gateway = this.gateway.forRequest();
    const run = await findRun(gateway, principal, runId);
    if (run.closed) return recordOf(gateway, run);
    await gateway.cancel(runId);
    this.touched(principal, { runId, started: run.startedAt });
    const heard = await gateway.query(runId, QUERIES.run.name, undefined, DEADLINES.barrier).catch(() => null);
    const now = await findRun(gateway, principal, runId).catch(() => run);
    if (heard !== null) await untilNoneWaitsBelow(gateway, now);
    return recordInAnyCase(gateway, now);
  }

  async events(principal: Principal, runId: string, page: { after: number; limit: number }): Promise<EventPage> {
    const gateway = this.gateway.forRequest();
    const run = await findRun(gateway, principal, runId);
    return eventPage(gateway, run, page.after, page.limit);
  }

  async messages(principal: Principal, runId: string, page: { from: number; limit: number }): Promise<MessagePage> {
    const gateway = this.gateway.forRequest();
    const run = await findRun(gateway, principal, runId);
    return gateway.query<MessagePage>(run.runId, QUERIES.messages.name, page);
  }

  async asks(principal: Principal, runId: string, state: 'pending' | 'all'): Promise<AskView[]> {
    const gateway = this.gateway.forRequest();
    const run = await findRun(gateway, principal, runId);
    return state === 'all' ? allAsks(gateway, run) : pendingAsks(gateway, run);
  }

  async inboxPage(
    principal: Principal,
    filter: InboxFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<InboxPage> {
    return this.inbox.page(principal.workspace, filter, page);
  }

  /** Follows the inbox of the caller's workspace: see `InboxHub.follow`. */
  async followInbox(principal: Principal, follower: InboxFollower, isGone: () => boolean) {
    return this.inboxes.follow(principal.workspace, follower, isGone);
  }

  /** Finds a run to be followed; its errors come before a stream is begun. */
  async find(principal: Principal, runId: string): Promise<FoundRun> {
    return findRun(this.gateway.forRequest(), principal, runId);
  }

  /** Whether a stream from `cursor` would be over before it says anything. Unknown while no worker answers: then no. */
  async isOver(run: FoundRun, cursor: number): Promise<boolean> {
    if (!run.closed || cursor === 0) return false;
    const page = await eventPage(this.gateway.forRequest(), run, cursor, LIMITS.eventPage).catch(() => null);
    return page?.events.length === 0;
  }

  follow(run: FoundRun, follower: Follower): () => void {
    return this.streams.follow(run, follower);
  }

  ping(): Promise<void> {
    return this.gateway.ping();
  }

  /** Asks that are pending in all workspaces, as Temporal's index has it: a moment late. Throws when it does not answer. */
  private countPending(): Promise<number> {
    return this.gateway.count("HoldpointStatus = 'awaiting_input' AND ExecutionStatus = 'Running'");
  }

  /** Ends every stream: the process is about to stop. */
  closeStreams(): void {
    this.streams.close();
    this.inboxes.close();
  }

  /** Something was done to this run: lists and live inboxes show it although visibility has not heard of it. */
  private touched(principal: Principal, entry: ListEntry): void {
    this.recent.touch(principal.workspace, entry);
    this.inboxes.touched(principal.workspace, entry.runId);
  }
}

/** Notes which question an answer is for. */
function isFor(facts: AnswerFacts, question: Question | null): void {
  if (!question) return;
  facts.askedAt = question.asked_at;
  note({ ask_id: question.ask_id });
}
