/** One tool, whichever transport it is called over: its schemas, what it needs, and what it does with a door. */
import type { CallToolResult, InputRequiredResult, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { contractIssue, type ContractIssue } from '../../workflows/contract';
import { ApiError } from '../errors';
import type { Scope } from '../keys';
import type { McpDoor } from './door';

/** What a tool knows of the call besides its arguments. */
export interface ToolCall {
  /** Aborted when the client has cancelled, or left. */
  signal: AbortSignal;
  /** What the client sent back of forms that it was given. */
  inputResponses: Record<string, unknown> | undefined;
  /** Whether the client can show its user a form. */
  canAskUser: boolean;
  protocolVersion: string | undefined;
  /** Tells a client that wants to know how far it is, in seconds. */
  progress(elapsed: number, total: number, message: string): void;
}

/** What a tool has to say, or what it needs of the client's user first. */
export type ToolReply = { text: string; structured: Record<string, unknown> } | { askUser: InputRequiredResult };

export interface Tool {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  /** JSON Schema 2020-12. */
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
  /** Never throws: refusals are tool errors, and what is a fault of ours goes to `onFault` and is told as one. */
  call(
    door: McpDoor,
    args: unknown,
    call: ToolCall,
    onFault: (error: unknown) => void,
  ): Promise<CallToolResult | InputRequiredResult>;
}

/** Makes a tool. `run` gets arguments that fit `input`, from a caller whose key has `scope`. */
export function tool<Input extends z.ZodType>(
  parts: Omit<Tool, 'inputSchema' | 'outputSchema' | 'call'> & {
    scope: Scope;
    input: Input;
    output: z.ZodType;
    run: (door: McpDoor, args: z.output<Input>, call: ToolCall) => Promise<ToolReply>;
  },
): Tool {
  const { scope, input, output, run, ...shown } = parts;
  return {
    ...shown,
    inputSchema: z.toJSONSchema(input, { io: 'input', override: plain }),
    outputSchema: z.toJSONSchema(output, { io: 'output', override: open }),
    call: async (door, args, call, onFault) => {
      try {
        if (!door.may(scope)) throw new ApiError('forbidden', `this key lacks the scope "${scope}"`);
        const reply = await run(door, parsed(input, args ?? {}), call);
        if ('askUser' in reply) return reply.askUser;
        return { content: [{ type: 'text', text: reply.text }], structuredContent: reply.structured };
      } catch (error) {
        return refusal(door, error, onFault);
      }
    },
  };
}

/**
 * Leaves out what not every host and model provider can read: patterns of Unicode properties. The tool judges by them all
 * the same.
 */
function plain({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.pattern?.includes('\\p{')) delete jsonSchema.pattern;
  delete jsonSchema.not;
}

/** A newer API may tell more than is known here, which is no fault. */
function open({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

/** Arguments as the schema has them. Throws what is wrong with them. */
export function parsed<Schema extends z.ZodType>(schema: Schema, args: unknown): z.output<Schema> {
  const verdict = schema.safeParse(args);
  if (verdict.success) return verdict.data;
  throw invalidArguments(verdict.error.issues.map(contractIssue));
}

function invalidArguments(issues: ContractIssue[]): ApiError {
  return new ApiError('invalid_input', 'the arguments are not what this tool takes: see issues', issues);
}

/** A refusal in the one form of all errors, as a tool's result: the model reads it and can do better. */
function refusal(door: McpDoor, error: unknown, onFault: (error: unknown) => void): CallToolResult {
  const told = error instanceof ApiError ? error.body : door.told(error);
  if (!told) onFault(error);
  const shown = told ?? new ApiError('internal_error', 'something went wrong here: it is in the log').body;
  return { content: [{ type: 'text', text: JSON.stringify(shown) }], isError: true };
}
