import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import { contractIssue, type ContractIssue, type Json } from '../workflows/contract';
import { jsonSchemaOf } from './define/json-schema';
import type { Model, ModelResponse, ModelTurnRequest } from './model';

const scriptSchema = z.looseObject({
  turns: z
    .array(z.looseObject({ calls: z.array(z.looseObject({ tool: z.string(), args: z.json().optional() })) }))
    .default([]),
  text: z.string().default(''),
});

/** A model's turns, written down beforehand (CONTRACT §10). */
export type Script = z.infer<typeof scriptSchema>;

/** A script as callers are shown it. */
export const scriptJsonSchema = jsonSchemaOf(scriptSchema);

/** What is wrong with a script, nothing when it is fine. */
export function scriptIssues(script: Json): ContractIssue[] {
  const parsed = scriptSchema.safeParse(script);
  return parsed.success ? [] : parsed.error.issues.map(contractIssue);
}

/**
 * A model that says what a script says: turn by turn, then its text. `scriptOf` makes the script of a run from its
 * input; the scripted agent's input is the script.
 */
export class ScriptedModel implements Model {
  constructor(private readonly scriptOf: (input: Json) => Json) {}

  respond({ input, turn }: ModelTurnRequest): Promise<ModelResponse> {
    const parsed = scriptSchema.safeParse(this.scriptOf(input));
    if (!parsed.success) {
      const [issue] = parsed.error.issues.map(contractIssue);
      const message = `the script is malformed at ${issue?.path || 'its top'}: ${issue?.message}`;
      throw ApplicationFailure.nonRetryable(message, 'invalid_script');
    }
    const next = parsed.data.turns[turn];
    if (!next) return Promise.resolve({ text: parsed.data.text, calls: [], final: true, tokens: 0 });
    const calls = next.calls.map((call, k) => ({
      id: `call_${turn + 1}_${k + 1}`,
      tool: call.tool,
      args: call.args ?? {},
    }));
    return Promise.resolve({ text: null, calls, final: false, tokens: 0 });
  }
}
