/** Writes the events of one segment, and sees to it that what was opened is closed before it ends. */
import {
  EventType,
  PROTOCOL_VERSION,
  type Event,
  type Interrupt,
  type JsonPatchOperation,
  type Message as AgUiMessage,
} from '@ag-ui/core';
import type { ErrorBody, Json, OwnEvent } from '../../workflows/contract';
import { asObject, STATE_KEY, type RunAgentInput } from './input';
import type { RunEnd } from './run-view';

/** Where events go: one server-sent event each. */
export interface EventSink {
  sendData(event: string, data: unknown): void;
}

/** What the application sees of the conversation in the shared state, under `holdpoint`. */
export interface SharedState {
  run_id: string;
  agent: string;
  status: string;
  waiting: { id: string; run_id: string; ask_id: string; question: string; asked_at: string }[];
}

export class SegmentWriter {
  /** Open steps: their names in the stream, by run and step id. */
  private readonly steps = new Map<string, Map<string, string>>();
  /** Sub-agents that were announced; true while they are not closed. */
  private readonly subagents = new Map<string, boolean>();
  private state: SharedState | undefined;

  constructor(
    private readonly sink: EventSink,
    private readonly input: Pick<RunAgentInput, 'threadId' | 'runId' | 'parentRunId' | 'state'>,
  ) {}

  emit(event: Event): void {
    this.sink.sendData(event.type, event);
  }

  /** The attribution of what a run says: none for the run that the thread is. */
  tag(runId: string): { subagentRunId?: string } {
    return runId === this.input.threadId ? {} : { subagentRunId: runId };
  }

  runStarted(): void {
    const { threadId, runId, parentRunId } = this.input;
    const parent = parentRunId === undefined ? {} : { parentRunId };
    this.emit({ type: EventType.RUN_STARTED, threadId, runId, protocolVersion: PROTOCOL_VERSION, ...parent });
  }

  /** The application's state with the run's key in it; later only what has changed of that. */
  shareState(state: SharedState): void {
    const known = this.state;
    this.state = state;
    if (!known) {
      const snapshot = { ...asObject(this.input.state), [STATE_KEY]: state };
      this.emit({ type: EventType.STATE_SNAPSHOT, snapshot });
      return;
    }
    const changed = (['status', 'waiting'] as const).filter(
      (key) => JSON.stringify(known[key]) !== JSON.stringify(state[key]),
    );
    const delta = changed.map((key): JsonPatchOperation => ({
      op: 'replace',
      path: `/${STATE_KEY}/${key}`,
      value: state[key],
    }));
    if (delta.length > 0) this.emit({ type: EventType.STATE_DELTA, delta });
  }

  messagesSnapshot(messages: AgUiMessage[]): void {
    this.emit({ type: EventType.MESSAGES_SNAPSHOT, messages });
  }

  /** Two open steps of one run may not have one name: the later one gets its id behind it. */
  stepStarted(runId: string, stepId: string, name: string): void {
    const open = this.steps.get(runId) ?? new Map<string, string>();
    this.steps.set(runId, open);
    if (open.has(stepId)) return;
    const stepName = [...open.values()].includes(name) ? `${name} (${stepId})` : name;
    open.set(stepId, stepName);
    this.emit({ type: EventType.STEP_STARTED, stepName, ...this.tag(runId) });
  }

  /** A step that was opened before this segment has no end in it. */
  stepFinished(runId: string, stepId: string): void {
    const stepName = this.steps.get(runId)?.get(stepId);
    if (stepName === undefined) return;
    this.steps.get(runId)?.delete(stepId);
    this.emit({ type: EventType.STEP_FINISHED, stepName, ...this.tag(runId) });
  }

  subagentStarted(runId: string, name: string, parentId: string | null): void {
    if (this.subagents.has(runId)) return;
    this.subagents.set(runId, true);
    const parent = parentId !== null && this.subagents.has(parentId) ? { parentSubagentRunId: parentId } : {};
    this.emit({ type: EventType.SUBAGENT_STARTED, subagentRunId: runId, name, ...parent });
  }

  subagentEnded(runId: string, end: RunEnd): void {
    if (!this.closeSubagent(runId)) return;
    const subagentRunId = runId;
    if (end.status === 'completed') {
      const result = end.result === null ? {} : { result: end.result };
      this.emit({ type: EventType.SUBAGENT_FINISHED, subagentRunId, ...result, outcome: { type: 'success' } });
      return;
    }
    const { code, message } = end.status === 'failed' ? end.error : { code: 'cancelled', message: 'was cancelled' };
    this.emit({ type: EventType.SUBAGENT_ERROR, subagentRunId, message, code });
  }

  /** Sub-agents that are not closed, those of a sub-agent before itself. */
  openSubagents(): string[] {
    return [...this.subagents]
      .filter(([, open]) => open)
      .map(([runId]) => runId)
      .reverse();
  }

  own(event: OwnEvent): void {
    this.emit({ type: EventType.CUSTOM, name: event.type, value: event.data as Json, ...this.tag(event.run_id) });
  }

  /** Nothing goes on without a person. `interrupts` has at least one. */
  interrupted(interrupts: Interrupt[]): void {
    for (const runId of this.openSubagents()) {
      this.closeSubagent(runId);
      const interruptIds = interrupts.filter(({ subagentRunId }) => subagentRunId === runId).map(({ id }) => id);
      this.emit({
        type: EventType.SUBAGENT_FINISHED,
        subagentRunId: runId,
        outcome: { type: 'suspended', ...(interruptIds.length > 0 ? { interruptIds } : {}) },
      });
    }
    this.finished({ outcome: { type: 'interrupt', interrupts } });
  }

  /** The end of the run that the thread is. Sub-agents have to be closed by then. */
  ended(end: RunEnd): void {
    if (end.status === 'failed') {
      this.emit({ type: EventType.RUN_ERROR, code: end.error.code, message: end.error.message });
    } else if (end.status === 'cancelled') this.finished({ outcome: { type: 'cancelled' } });
    else {
      this.finished({ ...(end.result === null ? {} : { result: end.result }), outcome: { type: 'success' } });
    }
  }

  /** Why a resume was not taken. Ends the segment, not the run. */
  refused({ error, message, issues }: ErrorBody): void {
    this.emit({ type: EventType.RUN_ERROR, code: error, message, ...(issues ? { metadata: { issues } } : {}) });
  }

  private closeSubagent(runId: string): boolean {
    if (this.subagents.get(runId) !== true) return false;
    this.closeSteps(runId);
    this.subagents.set(runId, false);
    return true;
  }

  private closeSteps(runId: string): void {
    for (const stepId of [...(this.steps.get(runId)?.keys() ?? [])].reverse()) this.stepFinished(runId, stepId);
  }

  private finished(end: Pick<Extract<Event, { type: EventType.RUN_FINISHED }>, 'outcome' | 'result'>): void {
    for (const runId of this.steps.keys()) this.closeSteps(runId);
    const { threadId, runId } = this.input;
    this.emit({ type: EventType.RUN_FINISHED, threadId, runId, ...end });
  }
}
