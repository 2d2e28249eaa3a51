/** The model port: what an agent's model is asked and what it says, whatever model that is. */
import type {
  AgentDefinition,
  Json,
  JsonObject,
  Message,
  Reasoning,
  ToolCall,
  WorkflowAgent,
} from '../workflows/contract';
import type { AgentSpec } from './define/spec';

/** What one model turn is asked. */
export interface ModelTurnRequest {
  run_id: string;
  agent: string;
  input: Json;
  /** Model turns so far, from 0. */
  turn: number;
  messages: Message[];
  /** Messages after the first that are no longer kept. */
  dropped?: number;
  /** Null at the first turn, which brings the definition back. A model always gets one. */
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
  /** What the provider wants back with the next turn. */
  reasoning?: Reasoning[];
}

export interface ModelTurnResult extends ModelResponse {
  /** With the first turn, and with one at which a model takes over from code. */
  definition?: AgentDefinition;
  /** History events after which the run continues as new; the server's own suggestion counts besides. */
  continue_as_new_after?: number;
  /** The final answer as the agent's output schema has it. */
  output?: Json;
  /** What is wrong with the final answer of an agent with an output schema. */
  output_problem?: string;
  /** With the first turn only: agents that are workflows of their own, for `delegate`. */
  workflows?: WorkflowAgent[];
}

/** A model behind an agent. Throws `ApplicationFailure`, classed as retryable or not. */
export interface Model {
  respond(request: ModelTurnRequest, signal: AbortSignal): Promise<ModelResponse>;
}

/** A workflow of a team's own as agents see it: what they delegate to under the name of an agent. */
export interface DelegableWorkflow extends WorkflowAgent {
  description?: string | undefined;
  /** JSON Schema of its one argument; anything when left out. */
  inputSchema?: JsonObject | undefined;
}

/** An agent that can be started: who it is, what it takes, and the model behind it. */
export interface Agent {
  name: string;
  description: string;
  model: Model;
  /** Judges the input of a run before it is started: issues to show the caller, none when it is fine. */
  checkInput?: ((input: Json) => { path: string; code: string; message: string }[]) | undefined;
  /** What `checkInput` takes, as JSON Schema; anything when left out. */
  inputSchema?: JsonObject | undefined;
  /** Of agents made by `defineAgent`. */
  spec?: AgentSpec | undefined;
}
