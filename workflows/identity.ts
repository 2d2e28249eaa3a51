import { workflowInfo } from '@temporalio/workflow';
import { DEFAULT_WORKSPACE, type AgentRunArgs, type RunIdentity } from './contract';

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
