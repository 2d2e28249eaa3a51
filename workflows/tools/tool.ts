import type { AgentDefinition, Json, ToolCall, WorkflowAgent } from '../contract';
import { toolError, type ToolError } from '../contract';
import type { Run } from '../open-run';
import type { SubAgents } from '../sub-agents';
import type { ApprovalGate } from './approval';

/** What a built-in tool has to work with. */
export interface ToolContext {
  run: Run;
  subAgents: SubAgents;
  /** Agents that are workflows of their own. */
  workflows: readonly WorkflowAgent[];
  /** The agent as its run has recorded it; none for a workflow of a team's own. */
  definition?: AgentDefinition | null;
}

/** What an agent's own tools need besides. */
export interface AgentToolContext extends ToolContext {
  agent: string;
  gate: ApprovalGate;
  /** Calls of the turn that this one belongs to. */
  callsInTurn: number;
}

/**
 * A built-in tool. Returns the result that the agent gets. Bad arguments and failures are results too (`ToolError`);
 * only the cancellation of the run is thrown.
 */
export type Tool = (context: ToolContext, call: ToolCall) => Promise<Json>;

/** The arguments as an object, or undefined: a model may send anything. */
export function argsOf(call: ToolCall): Record<string, Json> | undefined {
  const { args } = call;
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? args : undefined;
}

export function badArguments(message: string): Json {
  return asJson(toolError('invalid_arguments', message));
}

/** A result type as JSON. Results are plain objects; only their interfaces lack the index signature. */
export function asJson(result: ToolError | object): Json {
  return result as Json;
}

export function isToolError(result: Json): boolean {
  return typeof result === 'object' && result !== null && !Array.isArray(result) && typeof result.error === 'string';
}
