/** The workflows of the worker's bundle, and nothing else. */
export { agentRun } from './agent-run';
