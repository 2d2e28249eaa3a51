/** What `defineAgent` and `defineTool` make of what they were given: checked, with every default filled in. */
import type { z } from 'zod';
import type { JsonObject } from '../../workflows/contract';
import type { Agent } from '../model';

/** What a tool's function gets besides its arguments. */
export interface ToolContext {
  runId: string;
  agent: string;
  callId: string;
  /** The same for every attempt of this call and no other call: hand it to whatever must happen once. */
  idempotencyKey: string;
  /** 1 for the first attempt. */
  attempt: number;
  /** Aborted when the run is cancelled, the time is up or the worker stops. */
  signal: AbortSignal;
}

export interface ToolSpec {
  name: string;
  title: string | undefined;
  description: string;
  input: z.ZodType;
  inputSchema: JsonObject;
  execute: (args: never, context: ToolContext) => unknown;
  needsApproval: boolean | ((args: never) => boolean | Promise<boolean>);
  timeoutMs: number;
  attempts: number;
}

/** An MCP server whose tools an agent has: a program on stdio, or an address of the streamable HTTP transport. */
export interface McpServer {
  /** In front of each of its tools' names. Letters, digits, `_`, `-`; at most 24. */
  name: string;
  command?: string;
  args?: string[];
  /** Of a program: its environment besides the harmless basics. Secrets go here or into `headers`: neither is recorded. */
  env?: Record<string, string>;
  cwd?: string;
  url?: string;
  headers?: Record<string, string>;
  /** Its tools that the agent gets, by their names there. Default: all. */
  tools?: string[];
  /** Which of its tools need a person's approval, by their names there; true for all. Default: none. */
  needsApproval?: boolean | string[];
  /** Time for one call, in milliseconds. Default 1 minute. */
  timeoutMs?: number;
  /** How often a call is tried. Default 1: nobody knows what an MCP tool does when it is called twice. */
  attempts?: number;
}

export interface AgentSpec {
  instructions: string;
  /** `provider:model`, or null for an agent whose turns are code. */
  model: string | null;
  tools: ToolSpec[];
  mcpServers: McpServer[];
  /** Names; agents given as objects are in `nested` besides. */
  subAgents: string[];
  nested: Agent[];
  output: { schema: z.ZodType; jsonSchema: JsonObject } | null;
  maxTurns: number | null;
  settings: { temperature?: number; max_output_tokens?: number; timeout_ms?: number; context_bytes?: number };
}
