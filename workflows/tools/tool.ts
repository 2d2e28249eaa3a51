import type { Json, ToolCall, WorkflowAgent } from '../contract';
import { toolError, type ToolError } from '../contract';
import type { Run } from '../open-run';
import type { SubAgents } from '../sub-agents';

/** What a built-in tool has to work with. */
export interface ToolContext {
  run: Run;
  subAgents: SubAgents;
  /** Agents that are workflows of their own. */
  workflows: readonly WorkflowAgent[];
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
