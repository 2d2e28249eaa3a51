/** Agents as callers see them (`GET /definitions`), and as a run records the one that it started with. */
import { z } from 'zod';
import type { JsonObject } from './json';

const jsonSchema = z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema 2020-12; {} takes anything.' });

/** One agent that can be started. */
export const definitionSchema = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    input_schema: jsonSchema,
    /** `provider:model`; null when no model is asked: a coded, scripted or recorded agent. */
    model: z.string().nullable(),
    sub_agents: z.array(z.string()),
    tools: z.array(z.strictObject({ name: z.string(), description: z.string(), needs_approval: z.boolean() })),
  })
  .meta({ id: 'Definition' });
export type Definition = z.infer<typeof definitionSchema>;

/** A tool as the run's start recorded it. Durations are milliseconds. */
export interface ToolDefinition {
  name: string;
  /** Name of its step, for people; the tool's own name when there is none. */
  title?: string;
  description: string;
  input_schema: JsonObject;
  /** `sometimes`: the arguments decide, and the worker says so with each call. */
  needs_approval: 'always' | 'sometimes' | 'never';
  timeout_ms: number;
  /** How often it is tried, the first time included. */
  attempts: number;
  /** The server of the agent that it comes from, and its name there. */
  mcp?: { server: string; tool: string };
}

/**
 * An agent as it was when its run started: recorded by the first model turn, so that a deploy does not change a paused
 * run. What is optional is missing for agents whose turns are code.
 */
export interface AgentDefinition {
  name: string;
  description: string;
  instructions?: string;
  /** `provider:model`; null for an agent whose turns are code or a recording. */
  model?: string | null;
  tools?: ToolDefinition[];
  /** Built-in tools that the agent has; all of them when it does not say. */
  built_ins?: string[];
  sub_agents?: { name: string; description: string; input_schema: JsonObject }[];
  /** What the final answer has to fit. */
  output_schema?: JsonObject;
  max_turns?: number;
  settings?: { temperature?: number; max_output_tokens?: number; timeout_ms?: number; context_bytes?: number };
}

/** Tools that every worker has. `sleep` and `record_effect` are for agents whose turns are code: no model is offered them. */
export const BUILT_IN_TOOLS = ['ask_a_human', 'delegate', 'collect', 'sleep', 'record_effect'] as const;

/** Names that every model provider takes for a tool. */
export const TOOL_NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;
