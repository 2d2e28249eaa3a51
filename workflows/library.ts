/** `holdpoint/workflow`: what a team's own workflows are built with. Sandbox code: import it from workflow files. */
export { agentRun } from './agent-run';
export { LIMITS, startMemo, type Json, type OnQuestion, type RunStart } from './contract';
export type { PausableRunOptions } from './pausable/identity';
export { pausableRun } from './pausable/pausable-run';
export type * from './pausable/results';
export type { DelegateTarget, PausableRun, PausableWorkflow } from './pausable/run-context';
