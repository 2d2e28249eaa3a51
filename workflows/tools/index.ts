import { invalidQuestion, toolError, type Json, type ToolCall } from '../contract';
import { askAHuman } from './ask-a-human';
import { collect, delegate } from './delegate';
import { ownTool } from './own-tool';
import { recordEffect } from './record-effect';
import { sleep } from './sleep';
import { asJson, isToolError, type AgentToolContext, type Tool, type ToolContext } from './tool';

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
export async function runTool(context: AgentToolContext, call: ToolCall): Promise<Json> {
  const own = context.definition?.tools?.find(({ name }) => name === call.tool);
  if (own && call.refused === undefined) return ownTool(context, own, call);
  const has = hasBuiltIn(context, call.tool);
  const withOwnStep = has ? TOOLS_WITH_OWN_STEP.get(call.tool) : undefined;
  if (withOwnStep && call.refused === undefined) return withOwnStep(context, call);
  const { state } = context.run;
  const step = state.beginStep({ kind: 'tool', name: (own?.title ?? call.tool).slice(0, 100) });
  const plain = has ? PLAIN_TOOLS.get(call.tool) : undefined;
  const tool = call.refused === undefined ? (plain ?? unknownTool) : refusedCall;
  const result = await tool(context, call);
  state.endStep(step, isToolError(result) ? 'failed' : 'completed');
  return result;
}

/** Whether the agent has this built-in tool. One whose definition does not say has all of them. */
function hasBuiltIn({ definition }: ToolContext, tool: string): boolean {
  return definition?.built_ins === undefined || definition.built_ins.includes(tool);
}

const unknownTool: Tool = (context) => {
  const builtIn = [...TOOLS_WITH_OWN_STEP.keys(), ...PLAIN_TOOLS.keys()].filter((name) => hasBuiltIn(context, name));
  const known = [...builtIn, ...(context.definition?.tools ?? []).map(({ name }) => name)].join(', ');
  return Promise.resolve(asJson(toolError('unknown_tool', `no such tool; there are ${known}`)));
};

const refusedCall: Tool = (_context, { tool, refused = 'refused', refused_as }) => {
  if (tool === 'ask_a_human') return Promise.resolve(asJson(invalidQuestion(refused)));
  return Promise.resolve(asJson(toolError(refused_as ?? 'invalid_arguments', refused)));
};
