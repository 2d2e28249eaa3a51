/** `holdpoint/worker`: what makes a Temporal worker run Holdpoint's workflows. Node code. */
export type { Agent, AgentDefinition, Model, ModelResponse, ModelTurnRequest } from '../activities';
export { HoldpointPlugin, type HoldpointPluginOptions } from './plugin';
export { checkSearchAttributes, ensureSearchAttributes, SearchAttributesError } from './search-attributes';
