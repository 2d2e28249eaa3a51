/** Tells what the runs of a conversation have told: events and messages of ours as those of AG-UI. */
import type { RunEvent } from '../../workflows/contract';
import { mapInParallel } from '../service/parallel';
import type { FollowedRun } from './followed-run';
import { agUiMessage, eventsOf, type ClientHistory, type PlacedMessage } from './messages';
import type { SegmentWriter } from './writer';

const MODEL_TURN = /^model turn \d+$/;

export class Teller {
  constructor(
    private readonly writer: SegmentWriter,
    private readonly history: ClientHistory,
    /** Resolves when the client has taken what it was sent. */
    private readonly drained: () => Promise<void>,
    private readonly on: {
      childStarted: (parent: FollowedRun, child: { runId: string; agent: string }) => void;
      answerRejected: (runId: string, askId: string) => void;
    },
  ) {}

  /**
   * Opens again what is open, and tells the messages that the client does not have. `runs`: callers first; but what a caller
   * says at its end comes behind what its sub-agents say.
   */
  async restate(runs: readonly FollowedRun[]): Promise<void> {
    for (const { view } of runs) {
      if (view.end) continue;
      if (view.parentId !== null) this.writer.subagentStarted(view.runId, view.agent, view.parentId);
      for (const [stepId, name] of view.openSteps) this.writer.stepStarted(view.runId, stepId, name);
    }
    const messages = await mapInParallel(runs, (run) => this.lacking(run));
    const snapshot = this.history.snapshot();
    if (snapshot) this.writer.messagesSnapshot(snapshot);
    const lastWords: PlacedMessage[] = [];
    for (const [at, run] of runs.entries()) {
      const own = messages[at] ?? [];
      const words = own.slice(-1).filter(isLastWord);
      for (const message of own.slice(0, own.length - words.length)) await this.say(message);
      // Those of a run that was not over when its events were read are told with the news of its end.
      if (run.view.end) lastWords.unshift(...words);
      else run.hold(words);
    }
    for (const message of lastWords) await this.say(message);
  }

  /** Passes on the news of a run, its messages where they belong between its events. */
  async pass(run: FollowedRun): Promise<void> {
    const events = run.news.splice(0);
    const messages = await this.lacking(run);
    const sayWhile = async (wanted: (next: PlacedMessage) => boolean) => {
      for (let next = messages[0]; next && wanted(next); next = messages[0]) {
        messages.shift();
        await this.say(next);
      }
    };
    const isResult = ({ message }: PlacedMessage) => message.role !== 'assistant';
    for (const event of events) {
      const isTurn = event.type.startsWith('step.') && MODEL_TURN.test(String((event.data as { name?: unknown }).name));
      if (event.type === 'step.started' && isTurn) await sayWhile(isResult);
      if (event.type.startsWith('run.')) await sayWhile(() => true);
      run.view.take(event);
      this.tell(run, event);
      if (event.type === 'step.completed' && isTurn) {
        await sayWhile(isResult);
        const [said] = messages;
        await sayWhile((next) => next === said);
      }
    }
    // The transcript is read later than the events: a run's last words may be in it before the news that a sub-agent has
    // ended, whose own words go before them. They wait for the news of their turn.
    await sayWhile((next) => !isLastWord(next));
    run.hold(messages);
    if (run.view.end) run.unfollow();
  }

  private tell(run: FollowedRun, event: RunEvent): void {
    const { runId, parentId, end } = run.view;
    switch (event.type) {
      case 'step.started':
        this.writer.stepStarted(runId, event.data.step_id, event.data.name);
        return;
      case 'step.completed':
      case 'step.failed':
        this.writer.stepFinished(runId, event.data.step_id);
        return;
      case 'ask.rejected':
        this.on.answerRejected(runId, event.data.ask_id);
        return;
      case 'child.started':
        this.on.childStarted(run, { runId: event.data.child_run_id, agent: event.data.agent });
        return;
      case 'run.completed':
      case 'run.failed':
      case 'run.cancelled':
        if (parentId !== null && end) this.writer.subagentEnded(runId, end);
        return;
      default:
        if (isOwnEvent(event)) this.writer.own(event);
    }
  }

  /** Messages since the last call that the client does not have. */
  private async lacking(run: FollowedRun): Promise<PlacedMessage[]> {
    const tag = this.writer.tag(run.view.runId);
    return (await run.newMessages()).filter((placed) => {
      const message = agUiMessage(placed);
      return message !== null && !this.history.has(message, tag);
    });
  }

  private async say(placed: PlacedMessage): Promise<void> {
    const message = agUiMessage(placed);
    if (!message) return;
    for (const event of eventsOf(message, this.writer.tag(placed.runId))) this.writer.emit(event);
    await this.drained();
  }
}

/** Text without a call: what a run says at its end. */
function isLastWord({ message }: PlacedMessage): boolean {
  return message.role === 'assistant' && message.tool_calls.length === 0;
}

function isOwnEvent(event: RunEvent): event is Extract<RunEvent, { type: `app.${string}` }> {
  return event.type.startsWith('app.');
}
