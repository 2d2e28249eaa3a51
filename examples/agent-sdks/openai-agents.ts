/** `ask_a_human` in agents of the OpenAI Agents SDK that run inside a workflow. */
import { Agent } from '@openai/agents-core';
import { agentAsTool, TemporalOpenAIRunner } from '@temporalio/openai-agents/workflow';
// In a project of your own: 'holdpoint/openai-agents' and 'holdpoint/workflow'.
import { askAHumanTool } from '../../workflows/agent-sdks/openai-agents';
import { pausableRun } from '../../workflows/library';

const MODEL = 'gpt-4o-mini';

/** An agent that uses another one as a tool. Either may ask. */
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
