/** The model port: what an agent's model is asked and what it says, whatever model that is. */
import type { Json, Message, ToolCall } from '../workflows/contract';

/** An agent as it was when its run started, so that a deploy does not change a paused run. */
export interface AgentDefinition {
  name: string;
  description: string;
}

/** What one model turn is asked. */
export interface ModelTurnRequest {
  run_id: string;
  agent: string;
  input: Json;
  /** Model turns so far, from 0. */
  turn: number;
  messages: Message[];
  /** Null at the first turn, which brings the definition back. */
  definition: AgentDefinition | null;
}

/** What a model says: tool calls to run side by side, or its final text. */
export interface ModelResponse {
  text: string | null;
  calls: ToolCall[];
  /** True when the agent is done: `text` is its answer. */
  final: boolean;
  /** Tokens used by the turn; 0 where nothing is counted. */
  tokens: number;
}

export interface ModelTurnResult extends ModelResponse {
  /** With the first turn only. */
  definition?: AgentDefinition;
  /** History events after which the run continues as new; the server's own suggestion counts besides. */
  continue_as_new_after?: number;
}

/** A model behind an agent. Throws `ApplicationFailure`, classed as retryable or not. */
export interface Model {
  respond(request: ModelTurnRequest, signal: AbortSignal): Promise<ModelResponse>;
}

/** An agent that can be started: who it is, what it takes, and the model behind it. */
export interface Agent extends AgentDefinition {
  model: Model;
  /** Judges the input of a run before it is started: issues to show the caller, none when it is fine. */
  checkInput?: (input: Json) => { path: string; code: string; message: string }[];
}
