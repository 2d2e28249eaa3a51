import { ApplicationFailure } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import { agentRunArgsSchema, contractIssue, DEFAULT_WORKSPACE, type AgentRunArgs, type RunIdentity } from './contract';

/**
 * Refuses arguments that are none. The failure is final and says what is wrong; a plain error would be retried for
 * ever, and so would an attribute that the server does not take.
 */
export function checkArgs(args: unknown): void {
  const parsed = agentRunArgsSchema.safeParse(args);
  if (parsed.success) return;
  const [issue] = parsed.error.issues.map(contractIssue);
  const message = `the run's argument is malformed at ${issue?.path || 'its top'}: ${issue?.message}`;
  throw ApplicationFailure.nonRetryable(message, 'invalid_arguments');
}

/** Who a run is: what its starter said, and for one started by hand the defaults of a root run. */
export function identityOf(args: AgentRunArgs): RunIdentity {
  const { workflowId } = workflowInfo();
  return {
    root_run_id: workflowId,
    parent_run_id: null,
    ancestors: [],
    agent: args.agent,
    workspace: DEFAULT_WORKSPACE,
    on_question: 'pause',
    assignee: null,
    metadata: {},
    ...args.run,
  };
}
