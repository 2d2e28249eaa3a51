/** What a file of agents imports: `defineAgent`, `defineTool`, and the types of what they take. */
export { defineAgent, type AgentOptions } from './define-agent';
export { defineTool, type ToolOptions } from './define-tool';
export { defineWorkflow, type StartableWorkflow, type WorkflowOptions } from './define-workflow';
export type { McpServer, ToolContext } from './spec';
export type { Agent, Model, ModelResponse, ModelTurnRequest } from '../model';
export { member, RecordedModel, textMember, type RecordedTurn, type RecordedView } from '../models/recorded-model';
export { modelOfEnvironment } from '../models/providers';
