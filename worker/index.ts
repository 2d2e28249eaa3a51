/** `holdpoint/worker`: what makes a Temporal worker run Holdpoint's workflows. Node code. */
export type { Agent, AgentDefinition, Model, ModelResponse, ModelTurnRequest } from '../activities';
export {
  defineAgent,
  defineTool,
  type AgentOptions,
  type McpServer,
  type ToolContext,
  type ToolOptions,
} from '../activities/define';
export { agentsInFolder } from '../activities/define/agents-in-folder';
export { HoldpointPlugin, type HoldpointPluginOptions } from './plugin';
export { checkSearchAttributes, ensureSearchAttributes, SearchAttributesError } from './search-attributes';
