/** The definition that a run records at its first model turn, and what callers see of an agent. */
import { ApplicationFailure } from '@temporalio/common';
import {
  isBlank,
  jsonBytes,
  LIMITS,
  type AgentDefinition,
  type Definition,
  type ToolDefinition,
} from '../workflows/contract';
import type { ToolSpec } from './define/spec';
import { listMcpTools } from './mcp/tools';
import type { Agent, DelegableWorkflow } from './model';
import { builtInsOf } from './models/built-in-tools';

/** What a model is told of whom it may delegate to. */
export type SubAgentFacts = Pick<DelegableWorkflow, 'description' | 'inputSchema'>;

/** An agent as it is now, the tools of its MCP servers included. Throws `ApplicationFailure`. */
export async function recordedDefinition(
  agent: Agent,
  subAgents: ReadonlyMap<string, SubAgentFacts>,
  signal: AbortSignal,
): Promise<AgentDefinition> {
  const { name, description, spec } = agent;
  if (!spec) return { name, description };
  const tools = [...spec.tools.map(recordedTool), ...(await listMcpTools(spec.mcpServers, signal))];
  const definition: AgentDefinition = {
    name,
    description,
    instructions: spec.instructions,
    model: spec.model,
    tools,
    // A model has what it is offered; code may call what there is.
    ...(spec.model === null ? {} : { built_ins: builtInsOf(spec.subAgents.length > 0) }),
    sub_agents: spec.subAgents.map((subAgent) => {
      const found = subAgents.get(subAgent);
      return { name: subAgent, description: found?.description ?? '', input_schema: found?.inputSchema ?? {} };
    }),
    ...(spec.output ? { output_schema: spec.output.jsonSchema } : {}),
    ...(spec.maxTurns === null ? {} : { max_turns: spec.maxTurns }),
    settings: spec.settings,
  };
  const bytes = jsonBytes(definition);
  if (bytes > LIMITS.definitionBytes) {
    const message = `the agent's instructions and tools have ${bytes} bytes; at most ${LIMITS.definitionBytes} fit`;
    throw ApplicationFailure.nonRetryable(message, 'definition_too_large');
  }
  return definition;
}

/**
 * What a run that has begun goes on with: what it has recorded. One whose turns were code has recorded no model; where its
 * agent has a model by now, that one takes over, with its settings and its number of turns from here on, and is told what
 * the run has recorded. Anything else would end a run that waits for a person with what the person said.
 */
export function definitionToGoOnWith(
  recorded: AgentDefinition,
  agent: Agent | undefined,
  turn: number,
): AgentDefinition {
  const spec = agent?.spec;
  if (recorded.model || !spec?.model) return recorded;
  const { instructions = '', sub_agents = [] } = recorded;
  return {
    ...recorded,
    // Code needs no instructions, a model does.
    instructions: isBlank(instructions) ? spec.instructions : instructions,
    model: spec.model,
    built_ins: builtInsOf(sub_agents.length > 0),
    ...(spec.maxTurns === null ? {} : { max_turns: turn + spec.maxTurns }),
    settings: spec.settings,
  };
}

function recordedTool(tool: ToolSpec): ToolDefinition {
  return {
    name: tool.name,
    ...(tool.title === undefined ? {} : { title: tool.title }),
    description: tool.description,
    input_schema: tool.inputSchema,
    needs_approval: approvalOf(tool),
    timeout_ms: tool.timeoutMs,
    attempts: tool.attempts,
  };
}

function approvalOf({ needsApproval }: ToolSpec): ToolDefinition['needs_approval'] {
  if (typeof needsApproval === 'function') return 'sometimes';
  return needsApproval ? 'always' : 'never';
}

/** An agent as `GET /definitions` shows it. Tools of MCP servers are known when a run starts, and not before. */
export function shownDefinition({ name, description, inputSchema, spec }: Omit<Agent, 'model'>): Definition {
  return {
    name,
    description,
    input_schema: inputSchema ?? {},
    model: spec?.model ?? null,
    sub_agents: spec?.subAgents ?? [],
    tools: (spec?.tools ?? []).map((tool) => ({
      name: tool.name,
      description: tool.description,
      needs_approval: approvalOf(tool) !== 'never',
    })),
  };
}
