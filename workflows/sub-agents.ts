/** Sub-agents: child workflows of a run, their outcome, and what becomes of them when the run ends early. */
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  condition,
  ParentClosePolicy,
  startChild,
  uuid4,
} from '@temporalio/workflow';
import {
  runIdFromUuid,
  WORKFLOW_TYPE,
  type AgentRunArgs,
  type Json,
  type RunIdentity,
  type RunOutcome,
  type WorkflowTarget,
} from './contract';
import { runErrorOf, wasCancelled } from './failures';
import type { Run } from './open-run';
import type { Child } from './state/children';
import type { Step } from './state/steps';
import { memoOf, searchAttributesOf } from './visibility';

interface StartRequest {
  agent: string;
  input: Json;
  step: Step;
  /** Default: an agent on the caller's own task queue. */
  workflow?: WorkflowTarget | undefined;
}

/** An agent is told who it is with its input; any other workflow takes its input alone and finds the rest in its memo. */
function argsOf({ agent, input, workflow }: StartRequest, identity: RunIdentity): unknown[] {
  if (workflow && workflow.type !== WORKFLOW_TYPE) return [input];
  const args: AgentRunArgs = { agent, input, run: identity };
  return [args];
}

export class SubAgents {
  private readonly scopes: CancellationScope[] = [];

  constructor(private readonly run: Run) {}

  /**
   * Starts a sub-agent and resolves once it exists, so that its id can be given to anyone. Its place among the others is
   * that of the call: starts of one turn may be confirmed in any order.
   */
  async start(request: StartRequest): Promise<Child> {
    const { state } = this.run;
    const { workflow } = request;
    const runId = runIdFromUuid(uuid4());
    const identity = this.identityOf(request.agent);
    const child = state.children.add({ run_id: runId, agent: request.agent, step_id: request.step.step_id });
    const scope = new CancellationScope();
    this.scopes.push(scope);
    const start = () =>
      startChild(workflow?.type ?? WORKFLOW_TYPE, {
        workflowId: runId,
        args: argsOf(request, identity),
        ...(workflow?.task_queue === undefined ? {} : { taskQueue: workflow.task_queue }),
        memo: memoOf(identity),
        typedSearchAttributes: searchAttributesOf(identity),
        // The default would kill the child, its question left open, as soon as this run ends in any way.
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
        staticSummary: `sub-agent ${request.agent}`.slice(0, 200),
      });
    try {
      const handle = await scope.run(start);
      state.childStarted(child);
      const result = handle.result() as Promise<unknown>;
      void this.watch(child, result, workflow === undefined || workflow.type === WORKFLOW_TYPE);
      return child;
    } catch (failure) {
      // It never came to be, so nobody must wait for its end.
      state.children.remove(child);
      throw failure;
    }
  }

  /** Resolves when the sub-agent has ended, however it did. Rejects only when this run is cancelled. */
  async ended(child: Child): Promise<void> {
    await condition(() => child.status !== 'running');
  }

  /** Resolves when no sub-agent is unfinished. */
  async allEnded(): Promise<void> {
    if (this.run.state.children.unfinished === 0) return;
    await condition(() => this.run.state.children.unfinished === 0);
  }

  /** Cancels what is unfinished and waits until it has ended, even when this run itself is cancelled. */
  async cancelAll(): Promise<void> {
    await CancellationScope.nonCancellable(async () => {
      for (const scope of this.scopes) scope.cancel();
      await this.allEnded();
    });
  }

  private identityOf(agent: string): RunIdentity {
    const { identity } = this.run.state;
    return {
      root_run_id: identity.root_run_id,
      parent_run_id: this.run.state.runId,
      ancestors: [this.run.state.runId, ...identity.ancestors],
      agent,
      workspace: identity.workspace,
      // Inherited: neither a model nor a tool argument can change it (CONTRACT §2).
      on_question: identity.on_question,
      assignee: identity.assignee,
      metadata: {},
    };
  }

  /** An agent hands back its outcome; a team's own workflow just its result. */
  private async watch(child: Child, ending: Promise<unknown>, isAgent: boolean): Promise<void> {
    const { state } = this.run;
    try {
      const value = await ending;
      const result = isAgent ? (value as RunOutcome).result : ((value ?? null) as Json);
      state.childEnded(child, { status: 'completed', result, error: null });
    } catch (failure) {
      const status = wasCancelled(failure) ? 'cancelled' : 'failed';
      state.childEnded(child, { status, result: null, error: runErrorOf(failure) });
    }
  }
}
