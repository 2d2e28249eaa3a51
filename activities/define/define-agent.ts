import type { z } from 'zod';
import { characters, contractIssue, isBlank, jsonBytes, LIMITS, type Json } from '../../workflows/contract';
import type { Agent, Model } from '../model';
import { AiSdkModel } from '../models/ai-sdk-model';
import { checkModelName } from '../models/providers';
import { isWhole } from './define-tool';
import { jsonSchemaOf } from './json-schema';
import type { AgentSpec, McpServer, ToolSpec } from './spec';

const MAX_TOOLS = 128;
const DEFAULT_MAX_TURNS = 50;
const MAX_TURNS = 10_000;
const MAX_MODEL_TIMEOUT_MS = 9 * 60 * 1_000;

export interface AgentOptions {
  /** 1 to 128 characters; what `POST /agents` and `delegate` call it. */
  name: string;
  /** For people and for agents that may delegate to it. */
  description: string;
  /** What the model is told about its job. How to ask people is told by the platform. */
  instructions?: string;
  /** `provider:model` (`openai-compatible`, `openai`, `anthropic`, `google`), or code that plays the model. */
  model: string | Model;
  /** What its input has to be; anything when left out. Wrong input is refused before a run is started. */
  input?: z.ZodType;
  /** What its final answer has to be, as JSON. The model gets one chance to mend it. */
  output?: z.ZodType;
  tools?: readonly ToolSpec[];
  /** Servers of the Model Context Protocol whose tools it has besides. */
  mcpServers?: readonly McpServer[];
  /** Agents that it may delegate to, as objects or by name. */
  subAgents?: readonly (Agent | string)[];
  /** Model turns after which the run fails with `max_turns`. Default 50; none for an agent whose turns are code. */
  maxTurns?: number;
  temperature?: number;
  /** Tokens that the model may write in one turn. */
  maxOutputTokens?: number;
  /** Time for one call of the model, in milliseconds. Default 5 minutes, at most 9. A call that takes longer is tried again. */
  modelTimeoutMs?: number;
  /**
   * Bytes of transcript that the model is sent, at most. Whole turns go first, the oldest first, never the task. Default
   * 400 KiB, at most 1 MiB. The transcript that callers read is not touched.
   */
  contextBytes?: number;
}

/**
 * An agent described, not programmed. Export it from a file in the folder that `HOLDPOINT_AGENTS` names. Throws when it
 * is defined wrongly, with one line that says what to change.
 */
export function defineAgent(options: AgentOptions): Agent {
  const spec = specOf(options);
  const { name, description, model, input } = options;
  return {
    name,
    description,
    model: typeof model === 'string' ? new AiSdkModel() : model,
    ...(input ? inputJudge(input) : {}),
    spec,
  };
}

/** What is known of an input by its schema: its JSON Schema, and what judges it. */
export function inputJudge(input: z.ZodType): Required<Pick<Agent, 'inputSchema' | 'checkInput'>> {
  return { inputSchema: jsonSchemaOf(input), checkInput: (value) => issuesOf(input, value) };
}

function issuesOf(input: z.ZodType, value: Json) {
  const parsed = input.safeParse(value);
  return parsed.success ? [] : parsed.error.issues.slice(0, 20).map(contractIssue);
}

function specOf(options: AgentOptions): AgentSpec {
  const { name, description, instructions = '', model, tools = [], mcpServers = [], subAgents = [], output } = options;
  const check = (holds: boolean, problem: string) => {
    if (!holds) throw new TypeError(`agent ${String(name)}: ${problem}`);
  };
  check(isAgentName(name), `its name must be 1 to ${LIMITS.agentName} visible characters`);
  check(isDescription(description), 'it needs a description');
  check(typeof instructions === 'string', 'instructions must be a text');
  if (typeof model === 'string') {
    checkModelName(model, (problem) => check(false, problem));
    check(!isBlank(instructions), 'a model needs instructions');
  } else
    check(typeof (model as Model | undefined)?.respond === 'function', 'model must be "provider:model" or a Model');
  const names = tools.map((tool) => tool.name);
  const twice = names.find((tool, i) => names.indexOf(tool) !== i);
  check(twice === undefined, `two of its tools are named ${twice}`);
  check(tools.length <= MAX_TOOLS, `it has more than ${MAX_TOOLS} tools`);
  for (const server of mcpServers) checkServer(server, check);
  const servers = mcpServers.map((server) => server.name);
  check(new Set(servers).size === servers.length, 'two of its MCP servers have one name');
  const { maxTurns, temperature, maxOutputTokens, modelTimeoutMs, contextBytes } = options;
  const whole = (what: string, value: number | undefined, max: number) =>
    check(value === undefined || isWhole(value, max), `${what} must be a whole number from 1 to ${max}`);
  whole('maxTurns', maxTurns, MAX_TURNS);
  whole('maxOutputTokens', maxOutputTokens, 10_000_000);
  whole('modelTimeoutMs', modelTimeoutMs, MAX_MODEL_TIMEOUT_MS);
  whole('contextBytes', contextBytes, LIMITS.transcriptBytes);
  check(temperature === undefined || (temperature >= 0 && temperature <= 2), 'temperature must be from 0 to 2');
  const nested = subAgents.filter((agent) => typeof agent !== 'string');
  const told = jsonBytes([instructions, tools.map((tool) => [tool.description, tool.inputSchema])]);
  check(told <= LIMITS.definitionBytes, `its instructions and tools have more than ${LIMITS.definitionBytes} bytes`);
  return {
    instructions,
    model: typeof model === 'string' ? model : null,
    tools: [...tools],
    mcpServers: [...mcpServers],
    subAgents: subAgents.map((agent) => (typeof agent === 'string' ? agent : agent.name)),
    nested,
    output: output ? { schema: output, jsonSchema: jsonSchemaOf(output) } : null,
    maxTurns: maxTurns ?? (typeof model === 'string' ? DEFAULT_MAX_TURNS : null),
    settings: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
      ...(modelTimeoutMs === undefined ? {} : { timeout_ms: modelTimeoutMs }),
      ...(contextBytes === undefined ? {} : { context_bytes: contextBytes }),
    },
  };
}

export function isAgentName(name: unknown): boolean {
  return typeof name === 'string' && !isBlank(name) && characters(name) <= LIMITS.agentName;
}

export function isDescription(description: unknown): boolean {
  return typeof description === 'string' && !isBlank(description);
}

function checkServer(server: McpServer, check: (holds: boolean, problem: string) => void): void {
  check(/^[A-Za-z0-9_-]{1,24}$/.test(server.name), 'the name of an MCP server must be 1 to 24 of A-Z a-z 0-9 _ -');
  const one = (server.command === undefined) !== (server.url === undefined);
  check(one, `MCP server ${server.name} needs either a command or a url`);
  if (server.url !== undefined) check(URL.canParse(server.url), `the url of MCP server ${server.name} is none`);
}
