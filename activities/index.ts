/** Everything that a run does to the world outside: one file for each port. */
import { createToolActivities } from './call-tool';
import type { Agent, DelegableWorkflow } from './model';
import { createModelTurn } from './model-turn';
import { createRecordEffect } from './record-effect';

export type { Agent, DelegableWorkflow, Model, ModelResponse, ModelTurnRequest, ModelTurnResult } from './model';
export type { AgentDefinition } from '../workflows/contract';
export type { ArgsProblem, ToolRequest } from './call-tool';
export type { EffectRequest } from './record-effect';

export interface ActivityDeps {
  /** Agents by name. */
  agents: ReadonlyMap<string, Agent>;
  /** The file that `record_effect` appends to; without one the tool is an error to the agent. */
  effectsFile?: string | undefined;
  /** History events after which runs continue as new, earlier than the server would suggest. */
  continueAsNewAfter?: number | undefined;
  /** Workflows of a team's own (`pausableRun`) that agents may delegate to, under the names of agents. */
  workflows?: readonly DelegableWorkflow[] | undefined;
}

/** The activities of a worker. */
export function createActivities(deps: ActivityDeps) {
  return { modelTurn: createModelTurn(deps), ...createToolActivities(deps), recordEffect: createRecordEffect(deps) };
}

export type Activities = ReturnType<typeof createActivities>;
