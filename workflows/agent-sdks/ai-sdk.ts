/** `holdpoint/ai-sdk`: asking a person from a model call of the AI SDK. Sandbox code. */
import type { Tool } from 'ai';
import { z } from 'zod';
import { ASK_A_HUMAN, ASK_KINDS } from '../contract';
import type { PausableRun } from '../pausable/run-context';

const { properties } = ASK_A_HUMAN.input_schema as { properties: Record<string, { description?: string }> };
const inputSchema = z.object({
  kind: z.enum(ASK_KINDS),
  question: z.string().meta({ description: properties.question?.description }),
  options: z.array(z.string()).optional().meta({ description: properties.options?.description }),
  context: z.string().optional().meta({ description: properties.context?.description }),
});

/**
 * `ask_a_human` as a tool of the AI SDK: `generateText({ model: temporalProvider.languageModel(…), tools: { ask_a_human:
 * askAHumanTool(run) } })` inside a `pausableRun`. The run pauses until the answer is the tool's result.
 */
export function askAHumanTool(run: PausableRun): Tool<z.infer<typeof inputSchema>, unknown> {
  return {
    description: ASK_A_HUMAN.description,
    inputSchema,
    execute: (ask) => run.askAHumanAsTool(ask),
  };
}
