/** `ask_a_human` in agents of the two agent SDKs that run inside Temporal workflows. */
import { Agent } from '@openai/agents-core';
import { temporalProvider } from '@temporalio/ai-sdk';
import { agentAsTool, TemporalOpenAIRunner } from '@temporalio/openai-agents/workflow';
import { generateText, stepCountIs } from 'ai';
// In a project of your own: 'holdpoint/workflow', 'holdpoint/openai-agents', 'holdpoint/ai-sdk'.
import { askAHumanTool as askAHumanAiSdk } from '../../workflows/agent-sdks/ai-sdk';
import { askAHumanTool } from '../../workflows/agent-sdks/openai-agents';
import { pausableRun } from '../../workflows/library';

const MODEL = 'gpt-4o-mini';

/** OpenAI Agents SDK: an agent that uses another one as a tool. Either may ask. */
export const travelDesk = pausableRun('travelDesk', async (run, request: string): Promise<string> => {
  const booker = new Agent({
    name: 'Booker',
    instructions: 'You book hotels. Ask the traveller what only they can know.',
    model: MODEL,
    tools: [askAHumanTool(run)],
  });
  const planner = new Agent({
    name: 'Planner',
    instructions: 'You plan trips. Use the booker for hotels.',
    model: MODEL,
    tools: [askAHumanTool(run), agentAsTool(booker, { toolName: 'booker', toolDescription: 'Books a hotel.' })],
  });
  const result = await new TemporalOpenAIRunner().run(planner, request);
  return String(result.finalOutput ?? '');
});

/** AI SDK: the same tool in a `generateText` loop. */
export const writer = pausableRun('writer', async (run, request: string): Promise<string> => {
  const { text } = await generateText({
    model: temporalProvider.languageModel(MODEL),
    prompt: request,
    tools: { ask_a_human: askAHumanAiSdk(run) },
    stopWhen: stepCountIs(5),
  });
  return text;
});
