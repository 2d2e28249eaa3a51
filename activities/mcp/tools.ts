/** Tools of MCP servers: which ones an agent has, and calling one. */
import { ApplicationFailure } from '@temporalio/common';
import {
  TOOL_NAME_PATTERN,
  toolError,
  type Json,
  type JsonObject,
  type ToolDefinition,
} from '../../workflows/contract';
import type { McpServer } from '../define/spec';
import { withMcpClient } from './clients';

const LIST_MS = 30_000;
const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_DESCRIPTION = 4_000;

/** The tools of all servers, as a run records them. A name that two of them come to is a mistake of their owner's. */
export async function listMcpTools(servers: readonly McpServer[], signal: AbortSignal): Promise<ToolDefinition[]> {
  const lists = await Promise.all(servers.map((server) => listTools(server, signal)));
  const tools = lists.flat();
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, k) => names.indexOf(name) !== k);
  if (twice !== undefined) {
    throw ApplicationFailure.nonRetryable(`two tools of MCP servers come to the name ${twice}`, 'mcp_tools_ambiguous');
  }
  return tools;
}

async function listTools(server: McpServer, signal: AbortSignal): Promise<ToolDefinition[]> {
  const { tools } = await withMcpClient(server, (client) => client.listTools(undefined, { signal, timeout: LIST_MS }));
  const wanted = server.tools;
  const missing = (wanted ?? []).filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0) {
    throw ApplicationFailure.nonRetryable(
      `the MCP server ${server.name} has no tool ${missing.join(', ')}`,
      'mcp_tool_missing',
    );
  }
  return tools
    .filter((tool) => wanted === undefined || wanted.includes(tool.name))
    .map((tool) => ({
      name: offeredName(server, tool.name),
      description: (tool.description ?? tool.title ?? tool.name).slice(0, MAX_DESCRIPTION),
      input_schema: JSON.parse(JSON.stringify(tool.inputSchema)) as JsonObject,
      needs_approval: isGuarded(server, tool.name) ? 'always' : 'never',
      timeout_ms: server.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      attempts: server.attempts ?? 1,
      mcp: { server: server.name, tool: tool.name },
    }));
}

/** Whether a person has to approve calls of this tool, as the server is configured on this worker. */
export function isGuarded({ needsApproval = false }: McpServer, tool: string): boolean {
  return Array.isArray(needsApproval) ? needsApproval.includes(tool) : needsApproval;
}

function offeredName(server: McpServer, tool: string): string {
  const name = `${server.name}_${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  if (!TOOL_NAME_PATTERN.test(name))
    throw ApplicationFailure.nonRetryable(`no name for ${tool}`, 'mcp_tools_ambiguous');
  return name;
}

/** Calls one tool. What the server calls an error is a tool error; a server that fails is a retryable failure. */
export async function callMcpTool(
  server: McpServer,
  tool: string,
  args: JsonObject,
  limits: { signal: AbortSignal; timeout: number },
): Promise<Json> {
  const { content, structuredContent, isError } = await withMcpClient(server, async (client) =>
    client.callTool({ name: tool, arguments: args }, limits),
  );
  const parts = content.map((part) => {
    if (part.type === 'text') return part.text;
    return JSON.stringify({ ...part, data: undefined, blob: undefined, note: 'left out: not text' });
  });
  const text = parts.join('\n');
  if (isError === true) return toolError('tool_failed', text || 'the tool failed without a word') as unknown as Json;
  return structuredContent === undefined ? text : (JSON.parse(JSON.stringify(structuredContent)) as Json);
}
