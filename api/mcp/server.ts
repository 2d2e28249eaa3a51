/** An MCP server with the tools, for one request over HTTP or one connection on stdio. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  McpServer,
  type ClientCapabilities,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type { McpDoor } from './door';
import type { ToolCall } from './tool';
import { TOOLS } from './tools';

const INSTRUCTIONS =
  'Holdpoint runs agents that pause on a person. Start a run with start_run, then call wait_for_run until it has ended. ' +
  'When it needs an answer, relay the question to your user and answer with resume_run on the run_id that the question ' +
  'names. A run waits as long as it takes: nothing is lost when you come back later.';

/** `onFault` is told of errors that are none of the caller's doing: for the log. */
export function mcpServer(door: McpDoor, onFault: (error: unknown) => void): McpServer {
  const info = { name: 'holdpoint', title: 'Holdpoint', version: '1.0.0' };
  // The tools never change while a process lives, so there is nothing to subscribe to.
  const server = new McpServer(info, { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } });
  for (const tool of TOOLS) {
    const { name, title, description, annotations } = tool;
    const schemas = { inputSchema: published(tool.inputSchema), outputSchema: published(tool.outputSchema) };
    server.registerTool(name, { title, description, annotations, ...schemas }, (args, context) =>
      tool.call(door, args, callOf(server, context), onFault),
    );
  }
  return server;
}

/**
 * Shows a schema and lets everything pass: the tool itself judges its arguments, so that what is wrong with them is told in
 * the form of all our errors.
 */
function published(schema: Record<string, unknown>): StandardSchemaWithJSON<unknown, unknown> {
  const show = () => schema;
  return {
    '~standard': {
      version: 1,
      vendor: 'holdpoint',
      validate: (value) => ({ value }),
      jsonSchema: { input: show, output: show },
    },
  };
}

function callOf({ server }: McpServer, { mcpReq }: ServerContext): ToolCall {
  const protocolVersion = server.getNegotiatedProtocolVersion();
  // Each request tells them since 2026-07-28; before, the connection did. Over HTTP such a client has no connection here on
  // which it could be asked anything.
  const envelope: { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined = mcpReq.envelope;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const elicitation = capabilities?.elicitation;
  const progressToken = mcpReq._meta?.progressToken;
  return {
    signal: mcpReq.signal,
    inputResponses: mcpReq.inputResponses,
    canAskUser: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    protocolVersion,
    progress: (progress, total, message) => {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total, message };
      // A client that has left is told nothing more.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}
