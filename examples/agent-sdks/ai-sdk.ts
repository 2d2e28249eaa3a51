/** `ask_a_human` in a `generateText` loop of the AI SDK that runs inside a workflow. */
// First: the AI SDK wants web APIs that a workflow's sandbox lacks.
import { temporalProvider } from '@temporalio/ai-sdk';
import { generateText, stepCountIs } from 'ai';
// In a project of your own: 'holdpoint/ai-sdk' and 'holdpoint/workflow'.
import { askAHumanTool } from '../../workflows/agent-sdks/ai-sdk';
import { pausableRun } from '../../workflows/library';

const MODEL = 'gpt-4o-mini';

/** A model that asks when it has to. */
export const writer = pausableRun('writer', async (run, request: string): Promise<string> => {
  const { text } = await generateText({
    model: temporalProvider.languageModel(MODEL),
    prompt: request,
    tools: { ask_a_human: askAHumanTool(run) },
    stopWhen: stepCountIs(5),
  });
  return text;
});
