import type { z } from 'zod';
import { BUILT_IN_TOOLS, isBlank, TOOL_NAME_PATTERN } from '../../workflows/contract';
import { jsonSchemaOf } from './json-schema';
import type { ToolContext, ToolSpec } from './spec';

/** Longest that one attempt of a tool may take, in milliseconds. */
const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1_000;
const MAX_ATTEMPTS = 100;

export interface ToolOptions<Input extends z.ZodType> {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`, and none of the built-in tools' names. */
  name: string;
  /** What the step of a call is called on timelines. Default: the name. */
  title?: string;
  /** For the model: what it does and when to use it. */
  description: string;
  /** What it takes: an object. The model gets it as JSON Schema, the function gets what zod made of the arguments. */
  input: Input;
  /**
   * Does the work, in a Temporal activity. What it returns has to survive JSON and is the model's tool result; above
   * 256 KiB it is cut, with a note. What it throws is tried again, then told to the model as a tool error.
   */
  execute: (args: z.output<Input>, context: ToolContext) => unknown;
  /** Pauses for a person before the tool runs; as a function, for those arguments only. One that throws counts as yes. */
  needsApproval?: boolean | ((args: z.output<Input>) => boolean | Promise<boolean>);
  /** Time for one attempt in milliseconds. Default 1 minute, at most a day. */
  timeoutMs?: number;
  /** How often it is tried, a worker that died under it included. Default 3; 1 for what must never be repeated. */
  attempts?: number;
}

/** A tool for `defineAgent`. Throws when it is defined wrongly, with one line that says what to change. */
export function defineTool<Input extends z.ZodType>(options: ToolOptions<Input>): ToolSpec {
  const { name, title, description, input, execute, needsApproval = false } = options;
  const { timeoutMs = 60_000, attempts = 3 } = options;
  const check = (holds: boolean, problem: string) => {
    if (!holds) throw new TypeError(`tool ${String(name)}: ${problem}`);
  };
  check(typeof name === 'string' && TOOL_NAME_PATTERN.test(name), 'its name must be 1 to 64 of A-Z a-z 0-9 _ -');
  check(!BUILT_IN_TOOLS.some((builtIn) => builtIn === name), 'this is the name of a built-in tool');
  check(typeof description === 'string' && !isBlank(description), 'it needs a description');
  check(typeof execute === 'function', 'execute must be a function');
  check(['boolean', 'function'].includes(typeof needsApproval), 'needsApproval must be true, false or a function');
  check(isWhole(timeoutMs, MAX_TIMEOUT_MS), `timeoutMs must be a whole number from 1 to ${MAX_TIMEOUT_MS}`);
  check(isWhole(attempts, MAX_ATTEMPTS), `attempts must be a whole number from 1 to ${MAX_ATTEMPTS}`);
  const inputSchema = jsonSchemaOf(input);
  check(inputSchema.type === 'object', 'input must be a zod object: models call tools with named arguments');
  return { name, title, description, input, inputSchema, execute, needsApproval, timeoutMs, attempts };
}

export function isWhole(value: unknown, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max;
}
