/** What a pausable run's author has in hand: the methods of `run`. */
import { ApplicationFailure } from '@temporalio/common';
import { continueAsNew, isCancellation, workflowInfo } from '@temporalio/workflow';
import {
  type AskResult,
  DEFAULT_TASK_QUEUE,
  isRunId,
  LIMITS,
  ownEventType,
  toJson,
  type Json,
  type JsonObject,
  type OnQuestion,
  WORKFLOW_TYPE,
  type WorkflowTarget,
} from '../contract';
import type { Run } from '../open-run';
import type { SubAgents } from '../sub-agents';
import { askAHuman } from '../tools/ask-a-human';
import { collect, delegateTo } from '../tools/delegate';
import type { ChoiceAsk, ChoiceResult, DelegateResult, FreeFormAsk, FreeFormResult } from './results';
import { Transcript } from './transcript';

/** A workflow that `pausableRun` made. */
export interface PausableWorkflow<Args extends unknown[], Result> {
  (...args: Args): Promise<Result>;
  /** Its name, which is its workflow type too. */
  readonly runName: string;
}

/** An agent by name, or a workflow by its type: for what is not at hand as a function. */
export type DelegateTarget =
  { agent: string; taskQueue?: string | undefined } | { workflow: string; taskQueue?: string | undefined };

/** The run of a workflow that `pausableRun` made. Every method is for that workflow's own code. */
export class PausableRun {
  private readonly transcript: Transcript;

  constructor(
    private readonly run: Run,
    private readonly subAgents: SubAgents,
    private readonly args: readonly unknown[],
  ) {
    this.transcript = new Transcript(run.state.transcript);
    if (run.state.transcript.messages.length === 0) this.transcript.begin(args);
  }

  /** The run's id, which is its workflow id. */
  get id(): string {
    return this.run.state.runId;
  }

  /** What an ask of this run does: `pause`, or in `auto` and `none` nothing but say so. */
  get onQuestion(): OnQuestion {
    return this.run.state.identity.on_question;
  }

  get assignee(): string | null {
    return this.run.state.identity.assignee;
  }

  get metadata(): JsonObject {
    return this.run.state.identity.metadata;
  }

  /**
   * Puts one question to a person and waits until it is closed. Only this call waits: signals, queries and everything
   * else of the workflow go on. Never throws but for cancellation: a question that cannot be put, a person who declines
   * and a run that may not ask are results (`NotAnswered`). Inside a `CancellationScope` that is cancelled, for instance
   * by a timeout of the author's own, the question is withdrawn.
   */
  askAHuman<const Labels extends readonly string[]>(ask: ChoiceAsk<Labels>): Promise<ChoiceResult<Labels>>;
  askAHuman(ask: FreeFormAsk): Promise<FreeFormResult>;
  /** With an ask that is known to be one of the two, and no more. */
  askAHuman(ask: ChoiceAsk<readonly string[]> | FreeFormAsk): Promise<ChoiceResult<readonly string[]> | FreeFormResult>;
  async askAHuman(ask: ChoiceAsk<readonly string[]> | FreeFormAsk): Promise<unknown> {
    return this.put(ask);
  }

  /**
   * `askAHuman` for a tool that a model calls: `args` are whatever the model made of them. They are judged, never
   * trusted; what is wrong with them is a result that the model can read.
   */
  async askAHumanAsTool(args: unknown): Promise<AskResult> {
    return this.put(args);
  }

  /**
   * A step of the run's timeline, as long as `fn` takes; its result, or what it throws, is the caller's. `id` is 1 to 64
   * of `[A-Za-z0-9_-]`; an id that was used before gets a number behind it, so steps in a loop may share one.
   */
  async step<Value>(id: string, name: string, fn: () => Promise<Value> | Value): Promise<Value> {
    const { state } = this.run;
    const step = state.beginStep({ kind: 'tool', name: name.slice(0, 200), stepId: this.freeStepId(id) });
    try {
      const value = await fn();
      state.endStep(step, 'completed');
      return value;
    } catch (failure) {
      // A cancelled run closes its steps when it ends; a cancelled scope of the author's own ends here.
      state.endStep(step, isCancellation(failure) ? 'cancelled' : 'failed');
      throw failure;
    }
  }

  /**
   * Starts a sub-run and waits for its result. Its questions are seen at this run and at every run above it. A workflow
   * runs on this one's task queue; an agent on `holdpoint`, unless `taskQueue` says otherwise. The mode, the assignee and
   * the workspace are inherited. With `background` the id comes back at once, and `collect` waits.
   */
  delegate<Input, Result>(
    target: PausableWorkflow<[input: Input], Result>,
    input: Input,
    options?: { background?: false; taskQueue?: string },
  ): Promise<DelegateResult<Result>>;
  delegate<Input>(
    target: PausableWorkflow<[input: Input], unknown>,
    input: Input,
    options: { background: true; taskQueue?: string },
  ): Promise<DelegateResult<never> | { child_run_id: string }>;
  delegate(
    target: string | DelegateTarget,
    input: Json,
    options?: { background?: false; taskQueue?: string },
  ): Promise<DelegateResult<Json>>;
  delegate(
    target: string | DelegateTarget,
    input: Json,
    options: { background: true; taskQueue?: string },
  ): Promise<DelegateResult<never> | { child_run_id: string }>;
  async delegate(
    target: string | DelegateTarget | PausableWorkflow<[input: never], unknown>,
    input: unknown,
    options: { background?: boolean; taskQueue?: string } = {},
  ): Promise<unknown> {
    const { agent, workflow } = targetOf(target, options.taskQueue);
    const background = options.background === true;
    const shown: JsonObject = { agent, input: toJson(input), ...(background ? { background } : {}) };
    return this.transcript.call('delegate', shown, () =>
      delegateTo({ run: this.run, subAgents: this.subAgents }, { agent, input: input as Json, background, workflow }),
    );
  }

  /** Waits for one background sub-run. */
  collect<Result = Json>(childRunId: string): Promise<DelegateResult<Result>>;
  /** Waits for all that were not collected yet. */
  collect(): Promise<{ results: DelegateResult<Json>[] }>;
  async collect(childRunId?: string): Promise<unknown> {
    const args: JsonObject = childRunId === undefined ? {} : { child_run_id: childRunId };
    return this.transcript.call('collect', args, (call) =>
      collect({ run: this.run, subAgents: this.subAgents, workflows: [] }, call),
    );
  }

  /**
   * Adds an event of the workflow's own to the run's stream, as `app.<type>`. `type` is dotted lower-case words, 64
   * characters with the prefix; `data` beyond 16 KiB is stored cut. Throws a final `invalid_event` for another type.
   */
  emit(type: string, data: Record<string, unknown> = {}): void {
    const full = ownEventType(type);
    if (full === null) {
      const message = `an event's type is dotted words of a-z, 0-9 and _, at most ${LIMITS.eventType - 4} characters`;
      throw ApplicationFailure.nonRetryable(message, 'invalid_event');
    }
    const shown = toJson(data);
    const isObject = typeof shown === 'object' && shown !== null && !Array.isArray(shown);
    this.run.state.emitOwn(full, isObject ? shown : { value: shown });
  }

  /** True when the history has grown so long that the server suggests `continueAsNew`. */
  get continueAsNewSuggested(): boolean {
    return workflowInfo().continueAsNewSuggested;
  }

  /**
   * Ends this execution and goes on in a new one with these arguments: the same run, with its events, asks, answers and
   * steps, once its sub-runs have ended; a question that is still open is withdrawn. It never returns. The SDK's own
   * `continueAsNew` does the same.
   */
  async continueAsNew(...args: unknown[]): Promise<never> {
    return continueAsNew<(...args: unknown[]) => Promise<unknown>>(...args);
  }

  /** The promise is handed on as it is: one `await` more could order an author's commands otherwise than in old histories. */
  private put(ask: unknown): Promise<AskResult> {
    const made = this.transcript.call('ask_a_human', toJson(ask), (call) =>
      askAHuman({ run: this.run, subAgents: this.subAgents, workflows: [] }, call),
    );
    return made as Promise<unknown> as Promise<AskResult>;
  }

  private freeStepId(id: string): string {
    if (!isRunId(id) || id.length > LIMITS.stepId || isNumbered(id)) {
      const message = `a step's id is 1 to ${LIMITS.stepId} of A-Z a-z 0-9 _ -, and not like q1 or s1`;
      throw ApplicationFailure.nonRetryable(message, 'invalid_step');
    }
    let free = id;
    for (let n = 2; this.run.state.steps.find(free); n += 1) free = `${id}-${n}`;
    return free;
  }
}

/** Ids that the platform gives itself: asks and steps without a name. */
function isNumbered(id: string): boolean {
  return /^[qs]\d+$/.test(id);
}

function targetOf(
  target: string | DelegateTarget | PausableWorkflow<[input: never], unknown>,
  taskQueue: string | undefined,
): { agent: string; workflow: WorkflowTarget | undefined } {
  if (typeof target === 'string') return targetOf({ agent: target }, taskQueue);
  if (typeof target === 'function') {
    return { agent: target.runName, workflow: { type: target.runName, task_queue: taskQueue } };
  }
  const queue = taskQueue ?? target.taskQueue;
  if ('workflow' in target) return { agent: target.workflow, workflow: { type: target.workflow, task_queue: queue } };
  return { agent: target.agent, workflow: { type: WORKFLOW_TYPE, task_queue: queue ?? DEFAULT_TASK_QUEUE } };
}
