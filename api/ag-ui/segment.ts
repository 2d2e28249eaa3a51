/**
 * One AG-UI run: a segment of a conversation, from a request to the next question or the end. It follows every run of
 * the conversation, so it keeps nothing when it is over: the next segment reads all it needs.
 */
import { LIMITS } from '../../workflows/contract';
import { ApiError, nullWhen } from '../errors';
import type { Principal } from '../keys';
import type { AskView } from '../service/asks';
import type { FoundRun } from '../service/lookup';
import { mapInParallel } from '../service/parallel';
import type { RunService } from '../service/runs';
import { Bell } from '../streams/bell';
import type { SseStream } from '../streams/sse';
import { answerAll } from './answers';
import { Conversation } from './conversation';
import { FollowedRun, pauseAfter } from './followed-run';
import { interruptId } from './ids';
import type { RunAgentInput } from './input';
import { interruptOf } from './interrupts';
import { LastWords } from './last-words';
import { ClientHistory } from './messages';
import type { RunEnd } from './run-view';
import { Teller } from './teller';
import { SegmentWriter } from './writer';

/** Looks at asks that do not fit what the runs have told, after which runs that nobody told of are taken in. */
const PATIENCE = 5;

export class Segment {
  private readonly conversation = new Conversation();
  private readonly runs = new Map<string, FollowedRun>();
  private readonly writer: SegmentWriter;
  private readonly teller: Teller;
  private readonly bell = new Bell();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly onNews = () => this.bell.ring();
  private stopped = false;
  private readonly lastWords = new LastWords(this.runs, (milliseconds) => this.later(milliseconds));
  private looks = 0;

  constructor(
    private readonly service: RunService,
    private readonly principal: Principal,
    private readonly root: FoundRun,
    private readonly input: RunAgentInput,
    private readonly stream: SseStream,
    private readonly log: (error: unknown) => void,
  ) {
    this.writer = new SegmentWriter(stream, input);
    this.teller = new Teller(this.writer, new ClientHistory(input.messages), () => stream.drained(), {
      childStarted: (parent, child) => this.startedBy(parent, child),
      // An answer of ours that waited for a worker may have been the one: then the question is open again.
      answerRejected: (runId, askId) => this.conversation.answered.delete(interruptId(runId, askId)),
    });
  }

  /** Ends the segment where it is: the client has left, or the process is about to. The run is as it was. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    for (const timer of this.timers) clearTimeout(timer);
    for (const run of this.runs.values()) run.unfollow();
    this.stream.end();
    this.bell.ring();
  }

  /** Plays the segment to its end. `isNew` is for a run that this request has started: all of it is told. */
  async play(isNew: boolean): Promise<void> {
    await this.playing(isNew).catch((error: unknown) => this.onError(error));
  }

  /** Something is wrong here, not with the run, which goes on. */
  private onError(error: unknown): void {
    this.log(error);
    const message = 'something went wrong here: it is in the log';
    if (!this.stopped) this.writer.refused({ error: 'internal_error', message });
    this.stop();
  }

  private async playing(isNew: boolean): Promise<void> {
    const { runId, identity } = this.root;
    this.writer.runStarted();
    const root = this.add(runId, identity.agent, null);
    if (!isNew) await this.load(root);
    this.share();
    if (!(await this.answer())) return;
    if (!isNew) await this.teller.restate([...this.runs.values()]);
    await Promise.all([...this.runs.values()].filter(({ view }) => !view.end).map((run) => run.follow(this.onNews)));
    this.bell.ring();
    await this.live();
    this.stop();
  }

  private async live(): Promise<void> {
    for (;;) {
      await this.bell.heard();
      if (this.stopped) return;
      const told = [...this.runs.values()].filter((run) => run.news.length > 0 && !this.lastWords.isAhead(run));
      if (told.length > 0) this.looks = 0;
      await mapInParallel(told, (run) => this.teller.pass(run));
      if (this.stopped) return;
      this.share();
      const root = this.runs.get(this.root.runId) as FollowedRun;
      if (root.view.end) {
        if (this.lastWords.areMissing(root.view.runId, this.writer.openSubagents())) continue;
        this.conclude(root.view.end);
        return;
      }
      // Nobody follows it any more and it is not over: the process stops, and says so by ending the stream.
      if (root.gone && root.news.length === 0) return;
      if (this.conversation.isStuck() && (await this.interrupt())) return;
    }
  }

  private startedBy(parent: FollowedRun, { runId, agent }: { runId: string; agent: string }): void {
    if (this.runs.has(runId)) return;
    this.writer.subagentStarted(runId, agent, parent.view.runId);
    this.join(this.add(runId, agent, parent.view.runId));
  }

  private join(run: FollowedRun): void {
    run.follow(this.onNews).catch((error: unknown) => this.onError(error));
  }

  private add(runId: string, agent: string, parentId: string | null): FollowedRun {
    const named = { runId, agent, parentId };
    const run = new FollowedRun(this.service, this.principal, named, () => this.stopped);
    this.runs.set(runId, run);
    this.conversation.add(run.view);
    return run;
  }

  /** Takes in what has happened before this segment. What cannot be read now is told as news when it can. */
  private async load(run: FollowedRun): Promise<void> {
    await run.load().catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
    const children = [...run.view.children].map(([id, { agent }]) => this.add(id, agent, run.view.runId));
    await mapInParallel(children, (child) => this.load(child));
  }

  /** Sends the answers of this request; false when they were not taken, which the client has been told then. */
  private async answer(): Promise<boolean> {
    const { resume = [], runId } = this.input;
    if (resume.length === 0) return true;
    try {
      for (const id of await answerAll(this.service, this.principal, this.root, { runId, resume })) {
        this.conversation.answered.add(id);
      }
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.writer.refused(error.body);
      this.stop();
      return false;
    }
  }

  private share(): void {
    const { conversation, root } = this;
    const waiting = conversation.waiting().map(({ id, runId, question: { ask_id, question, asked_at } }) => ({
      id,
      run_id: runId,
      ask_id,
      question,
      asked_at,
    }));
    const end = conversation.views.get(root.runId)?.end;
    const asks = waiting.some(({ run_id }) => run_id === root.runId);
    const status = end?.status ?? (asks ? 'awaiting_input' : 'running');
    this.writer.shareState({ run_id: root.runId, agent: root.identity.agent, status, waiting });
  }

  /**
   * Ends the segment with every pending ask, once the runs themselves say that these are pending. What they have told so
   * far may be a moment old: then there is news on the way.
   */
  private async interrupt(): Promise<boolean> {
    const asks = await this.service
      .asks(this.principal, this.root.runId, 'pending')
      .catch(nullWhen('engine_unavailable'));
    if (this.stopped) return true;
    if ([...this.runs.values()].some(({ news }) => news.length > 0)) return false;
    const known = this.conversation.waiting().map(({ id }) => id);
    const pending = (asks ?? []).map((ask) => interruptId(ask.run_id, ask.ask_id));
    if (pending.length === known.length && known.every((id) => pending.includes(id))) {
      this.writer.interrupted((asks ?? []).map((ask) => this.interruptOf(ask)));
      return true;
    }
    this.looks += 1;
    if (this.looks > PATIENCE) await this.adopt(asks ?? []);
    this.later(pauseAfter(this.looks));
    return false;
  }

  private interruptOf(ask: AskView) {
    return interruptOf(ask, this.runs.get(ask.run_id)?.calls.list() ?? [], this.writer.tag(ask.run_id));
  }

  /** Takes in runs that ask and whose start is told no more, since their caller's log goes back no further. */
  private async adopt(asks: readonly AskView[]): Promise<void> {
    for (const { run_id } of asks) {
      if (this.runs.has(run_id) || this.runs.size >= LIMITS.keptAsks) continue;
      const run = await this.service.find(this.principal, run_id).catch(() => null);
      if (!run) continue;
      const { agent, parent_run_id } = run.identity;
      this.writer.subagentStarted(run_id, agent, parent_run_id);
      this.join(this.add(run_id, agent, parent_run_id ?? this.root.runId));
    }
  }

  private conclude(end: RunEnd): void {
    for (const runId of this.writer.openSubagents()) this.writer.subagentEnded(runId, this.endOf(runId));
    this.writer.ended(end);
  }

  /** The end of a sub-agent by its own word, else by its caller's. */
  private endOf(runId: string): RunEnd {
    const view = this.conversation.views.get(runId);
    const told = this.conversation.views.get(view?.parentId ?? '')?.children.get(runId)?.end;
    if (view?.end) return view.end;
    if (told?.status === 'failed') return { status: 'failed', error: told.error };
    return told?.status === 'completed' ? { status: 'completed', result: null } : { status: 'cancelled' };
  }

  private later(milliseconds: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.bell.ring();
    }, milliseconds);
    this.timers.add(timer);
  }
}
