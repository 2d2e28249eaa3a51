/**
 * The only file of the API that talks to Temporal and maps its errors. Every call has a deadline, so no request hangs
 * longer than 10 s whatever is down.
 */
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { QUERIES } from '../../workflows/contract';
import { newRunSnapshot, SIGNALS, type AnswerSignal, type RunOutcome } from '../../workflows/contract';
import { ApiError, runNotFound } from '../errors';
import { peoplesSignals, type QueuedSignal } from './people-signals';
import { apiErrorOfTemporal, hasEndedUnbegun } from './temporal-errors';

/** Deadlines of single calls, and of all that one request makes (CONTRACT §5: below 10 s), in milliseconds. */
export const DEADLINES = {
  call: 5_000,
  query: 5_000,
  barrier: 2_000,
  steps: 4_000,
  health: 2_000,
  longPoll: 65_000,
  request: 9_300,
} as const;

/** Events from the end of a history among which people's signals are looked for. */
const SIGNALS_LOOK_BACK = 500;

type SignalName = (typeof SIGNALS)[keyof typeof SIGNALS]['name'];
type QueryName = (typeof QUERIES)[keyof typeof QUERIES]['name'];

const noPage = { from: 0, total: 0, has_more: false };
/** Replies of a run that was ended before any worker had taken it up: nothing has happened in it. */
const NOTHING_TOLD: Record<QueryName, object> = {
  run: newRunSnapshot(new Date(0).toISOString()),
  events: { events: [], first_event_id: 0, last_event_id: 0, has_more: false },
  asks: { asks: [], ...noPage },
  messages: { messages: [], ...noPage },
  steps: { steps: [], now: newRunSnapshot(new Date(0).toISOString()) },
  answer_outcome: { outcome: null, snapshot: newRunSnapshot(new Date(0).toISOString()) },
  claim_outcome: { outcome: null, snapshot: newRunSnapshot(new Date(0).toISOString()) },
};

export class TemporalGateway {
  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
    /** When the request that this gateway works for has to be answered; none for long polls. */
    private readonly requestDeadline: number = Number.POSITIVE_INFINITY,
  ) {}

  /** A gateway for one request, or for a part of one: however many calls it makes, they end in time. */
  forRequest(milliseconds: number = DEADLINES.request): TemporalGateway {
    return new TemporalGateway(this.client, this.taskQueue, Date.now() + milliseconds);
  }

  /**
   * Describes a workflow from the server alone, no worker involved. Throws `run_not_found`, also for one whose memo the
   * client's data converter cannot read: such a workflow is somebody else's, and must fail no list that comes across it.
   */
  async describe(runId: string): Promise<WorkflowExecutionDescription> {
    const described = this.call(DEADLINES.call, () => this.client.workflow.getHandle(runId).describe());
    return described.catch((error: unknown) => {
      throw error instanceof ApiError ? error : runNotFound(error);
    });
  }

  /** What a completed run handed back, read from its last event: no worker involved. */
  async outcome(runId: string, executionId: string): Promise<RunOutcome> {
    const handle = this.client.workflow.getHandle(runId, executionId, { followRuns: false });
    return this.call(DEADLINES.call, () => handle.result() as Promise<RunOutcome>);
  }

  /** Starts a run. False when its id is taken. */
  async start(
    runId: string,
    workflow: { type: string; args: unknown[]; taskQueue?: string | undefined },
    options: Pick<WorkflowStartOptions, 'memo' | 'typedSearchAttributes' | 'staticSummary'>,
  ): Promise<boolean> {
    try {
      await this.client.withDeadline(this.deadline(DEADLINES.call), () =>
        this.client.workflow.start(workflow.type, {
          ...options,
          workflowId: runId,
          taskQueue: workflow.taskQueue ?? this.taskQueue,
          args: workflow.args,
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          workflowIdConflictPolicy: 'FAIL',
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw apiErrorOfTemporal(error);
    }
  }

  /** Sends an answer. False when the run has ended. Once this resolves the answer is durable. */
  async signalAnswer(runId: string, payload: AnswerSignal): Promise<boolean> {
    return this.signal(runId, SIGNALS.answer.name, payload);
  }

  /** Sends a signal. False when the run has ended. Once this resolves the signal is durable. */
  async signal(runId: string, name: SignalName, payload: object): Promise<boolean> {
    try {
      await this.client.withDeadline(this.deadline(DEADLINES.call), () =>
        this.client.workflow.getHandle(runId).signal(name, payload),
      );
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw apiErrorOfTemporal(error);
    }
  }

  /** Asks a run's workflow. Needs a worker: without one it is `engine_unavailable` at the deadline. */
  async query<Reply>(
    runId: string,
    name: QueryName,
    args?: object,
    deadline: number = DEADLINES.query,
  ): Promise<Reply> {
    const handle = this.client.workflow.getHandle(runId);
    const reply = this.call(deadline, () => handle.query<Reply, object[]>(name, ...(args ? [args] : [])));
    return reply.catch((error: unknown) => {
      if (hasEndedUnbegun(error)) return NOTHING_TOLD[name] as Reply;
      throw error;
    });
  }

  async cancel(runId: string): Promise<void> {
    try {
      await this.client.withDeadline(this.deadline(DEADLINES.call), () =>
        this.client.workflow.getHandle(runId).cancel(),
      );
    } catch (error) {
      // Ended in between: there is nothing left to cancel.
      if (!(error instanceof WorkflowNotFoundError)) throw apiErrorOfTemporal(error);
    }
  }

  /** Ids and start times of the executions that a visibility query finds, in the server's own order. */
  async find(query: string, pageSize: number, pageToken?: Uint8Array) {
    const response = await this.call(DEADLINES.call, () =>
      this.client.workflowService.listWorkflowExecutions({
        namespace: this.client.options.namespace,
        query,
        pageSize,
        ...(pageToken ? { nextPageToken: pageToken } : {}),
      }),
    );
    return { executions: response.executions ?? [], nextPageToken: response.nextPageToken };
  }

  /** How many executions a visibility query finds. */
  async count(query: string): Promise<number> {
    const { namespace } = this.client.options;
    const counted = await this.call(DEADLINES.health, () =>
      this.client.workflowService.countWorkflowExecutions({ namespace, query }),
    );
    return Number(counted.count ?? 0);
  }

  /**
   * One long poll on a run's history: the events after `token`, at once when there are some, else when there is news.
   * Adds nothing to the history and wakes no worker.
   */
  async pollHistory(
    runId: string,
    position: { executionId: string; token?: Uint8Array | undefined },
    signal: AbortSignal,
  ): Promise<temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryResponse> {
    // The SDK leaves its listener on the signal it is given: each poll gets one of its own, or a long watch would pile them up.
    const own = new AbortController();
    const onAbort = () => own.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const poll = () =>
        this.client.workflowService.getWorkflowExecutionHistory({
          namespace: this.client.options.namespace,
          execution: { workflowId: runId, runId: position.executionId },
          waitNewEvent: true,
          ...(position.token ? { nextPageToken: position.token } : {}),
        });
      const untilDeadline = () => this.client.withDeadline(Date.now() + DEADLINES.longPoll, poll);
      return await this.client.withAbortSignal(own.signal, untilDeadline);
    } catch (error) {
      throw apiErrorOfTemporal(error);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /**
   * The signals of people that one execution got after the workflow task which began at `since` (ISO 8601, the workflow's
   * own time), in the order in which they are judged. Read from the history's end, so it needs no worker.
   */
  async signalsSince(runId: string, executionId: string, since: string): Promise<QueuedSignal[]> {
    const { events } = (
      await this.call(DEADLINES.call, () =>
        this.client.workflowService.getWorkflowExecutionHistoryReverse({
          namespace: this.client.options.namespace,
          execution: { workflowId: runId, runId: executionId },
          maximumPageSize: SIGNALS_LOOK_BACK,
        }),
      )
    ).history ?? { events: [] };
    return peoplesSignals(events ?? [], since, this.client.options.loadedDataConverter);
  }

  /** Resolves when the server answers and has our namespace. */
  async ping(): Promise<void> {
    const { namespace } = this.client.options;
    await this.call(DEADLINES.health, () => this.client.workflowService.describeNamespace({ namespace }));
  }

  private deadline(milliseconds: number): number {
    return Math.min(Date.now() + milliseconds, this.requestDeadline);
  }

  private async call<T>(deadline: number, fn: () => Promise<T>): Promise<T> {
    try {
      return await this.client.withDeadline(this.deadline(deadline), fn);
    } catch (error) {
      throw apiErrorOfTemporal(error);
    }
  }
}
