/** `holdpoint/worker`: what makes a Temporal worker run Holdpoint's workflows. Node code. */
export type { Agent, AgentDefinition, DelegableWorkflow, Model, ModelResponse, ModelTurnRequest } from '../activities';
export {
  defineAgent,
  defineTool,
  defineWorkflow,
  type AgentOptions,
  type McpServer,
  type ToolContext,
  type StartableWorkflow,
  type ToolOptions,
  type WorkflowOptions,
} from '../activities/define';
export { agentsInFolder } from '../activities/define/agents-in-folder';
export { HoldpointPlugin, type HoldpointPluginOptions } from './plugin';
export { checkSearchAttributes, ensureSearchAttributes, SearchAttributesError } from './search-attributes';
