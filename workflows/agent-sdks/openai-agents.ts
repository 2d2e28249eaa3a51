/** `holdpoint/openai-agents`: asking a person from an agent of the OpenAI Agents SDK. Sandbox code. */
import type { FunctionTool } from '@openai/agents-core';
import { ASK_A_HUMAN, type Json } from '../contract';
import type { PausableRun } from '../pausable/run-context';

/**
 * `ask_a_human` as a tool for agents that run in a workflow (`TemporalOpenAIRunner` of `@temporalio/openai-agents`):
 * `new Agent({ …, tools: [askAHumanTool(run)] })` inside a `pausableRun`. Give it to nested agents too (`agentAsTool`,
 * handoffs): whoever of them asks, it is this run that pauses, until the answer is the tool's result. A malformed question
 * is a result that the model can read.
 */
export function askAHumanTool(run: PausableRun): FunctionTool {
  return {
    type: 'function',
    name: ASK_A_HUMAN.name,
    description: ASK_A_HUMAN.description,
    parameters: ASK_A_HUMAN.input_schema as FunctionTool['parameters'],
    // What may be left out may be left out: strict schemas know no optional property.
    strict: false,
    invoke: async (_context, input) => JSON.stringify(await run.askAHumanAsTool(argsOf(input))),
    needsApproval: async () => false,
    isEnabled: async () => true,
  };
}

/** What a model wrote may be no JSON at all: the question is judged all the same, and refused. */
function argsOf(input: string): Json {
  try {
    return JSON.parse(input) as Json;
  } catch {
    return input;
  }
}
