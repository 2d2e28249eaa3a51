/** What a file of agents imports: `defineAgent`, `defineTool`, and the types of what they take. */
export { defineAgent, type AgentOptions } from './define-agent';
export { defineTool, type ToolOptions } from './define-tool';
export type { McpServer, ToolContext } from './spec';
export type { Agent, Model, ModelResponse, ModelTurnRequest } from '../model';
