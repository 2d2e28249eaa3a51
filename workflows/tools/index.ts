import { invalidQuestion, toolError, type Json, type ToolCall } from '../contract';
import { askAHuman } from './ask-a-human';
import { collect, delegate } from './delegate';
import { recordEffect } from './record-effect';
import { sleep } from './sleep';
import { asJson, badArguments, type Tool, type ToolContext } from './tool';

/** Tools with a step that is simply as long as the call. Written out in a map: a prototype's name is no tool. */
const PLAIN_TOOLS = new Map<string, Tool>([
  ['collect', collect],
  ['sleep', sleep],
  ['record_effect', recordEffect],
]);

/** Tools that keep their own step: an ask's is named by its id, a delegation's may outlive the call. */
const TOOLS_WITH_OWN_STEP = new Map<string, Tool>([
  ['ask_a_human', askAHuman],
  ['delegate', delegate],
]);

/** Runs one tool call. An unknown tool is a tool error, so that the model can mend its call. */
export async function runTool(context: ToolContext, call: ToolCall): Promise<Json> {
  const own = TOOLS_WITH_OWN_STEP.get(call.tool);
  if (own && call.refused === undefined) return own(context, call);
  const { state } = context.run;
  const step = state.beginStep({ kind: 'tool', name: call.tool.slice(0, 100) });
  const tool = call.refused === undefined ? (PLAIN_TOOLS.get(call.tool) ?? unknownTool) : refusedCall;
  const result = await tool(context, call);
  state.endStep(step, isToolError(result) ? 'failed' : 'completed');
  return result;
}

const unknownTool: Tool = () => {
  const known = [...TOOLS_WITH_OWN_STEP.keys(), ...PLAIN_TOOLS.keys()].join(', ');
  return Promise.resolve(asJson(toolError('unknown_tool', `no such tool; there are ${known}`)));
};

const refusedCall: Tool = (_context, { tool, refused = 'refused' }) =>
  Promise.resolve(tool === 'ask_a_human' ? asJson(invalidQuestion(refused)) : badArguments(refused));

function isToolError(result: Json): boolean {
  return typeof result === 'object' && result !== null && !Array.isArray(result) && typeof result.error === 'string';
}
