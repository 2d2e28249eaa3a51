import { isCancellation } from '@temporalio/workflow';
import {
  characters,
  isBlank,
  LIMITS,
  toolError,
  type AgentDefinition,
  type Json,
  type ToolCall,
  type WorkflowTarget,
} from '../contract';
import { runErrorOf } from '../failures';
import type { Child } from '../state/children';
import type { RunState } from '../state/run-state';
import { argsOf, asJson, badArguments, type Tool, type ToolContext } from './tool';

/** Sub-agents of one run that may be unfinished at a time; Temporal itself ends at 2,000. */
const MAX_UNFINISHED = 1_000;

/** Starts a sub-agent and waits for its result; with `background` it gives the id back at once. */
export const delegate: Tool = async (context, call) => {
  const { run, workflows, definition } = context;
  const request = judgeArgs(call, definition?.sub_agents);
  if (!('refused' in request)) {
    const workflow = workflows.find(({ agent }) => agent === request.agent);
    return delegateTo(context, { ...request, workflow });
  }
  run.state.endStep(run.state.beginStep({ kind: 'delegation', name: 'delegate' }), 'failed');
  return request.refused;
};

/** A delegation, from a model's tool call or from a workflow's own code. `background` gives the child's id at once. */
export interface Delegation {
  agent: string;
  input: Json;
  background: boolean;
  /** Default: an agent on the caller's own task queue. */
  workflow?: WorkflowTarget | undefined;
}

/** Delegates. What cannot be started, fails or is cancelled is a tool error; only the run's own cancellation is thrown. */
export async function delegateTo(
  { run, subAgents }: Pick<ToolContext, 'run' | 'subAgents'>,
  delegation: Delegation,
): Promise<Json> {
  const { state } = run;
  const step = state.beginStep({ kind: 'delegation', name: `delegate ${delegation.agent}` });
  const refused = noRoomFor(state);
  if (refused !== undefined) {
    state.endStep(step, 'failed');
    return refused;
  }
  let child: Child;
  try {
    child = await subAgents.start({ ...delegation, step });
  } catch (failure) {
    if (isCancellation(failure)) throw failure;
    state.endStep(step, 'failed');
    return asJson(toolError('child_not_started', runErrorOf(failure).message));
  }
  if (delegation.background) return { child_run_id: child.run_id };
  await subAgents.ended(child);
  return outcomeOf(child);
}

function judgeArgs(call: ToolCall, known: AgentDefinition['sub_agents']): Delegation | { refused: Json } {
  const args = argsOf(call);
  const agent = args?.agent;
  if (!args || typeof agent !== 'string' || isBlank(agent) || characters(agent) > LIMITS.agentName) {
    return { refused: badArguments('delegate needs an agent: the name of the sub-agent') };
  }
  // Code may send anyone; a model has the sub-agents that it was given.
  if (known && known.length > 0 && !known.some(({ name }) => name === agent)) {
    const names = known.map(({ name }) => name).join(', ');
    return { refused: asJson(toolError('unknown_agent', `there is no such sub-agent; there are: ${names}`)) };
  }
  if (args.input === undefined) return { refused: badArguments('delegate needs an input for the sub-agent') };
  if (args.background !== undefined && typeof args.background !== 'boolean') {
    return { refused: badArguments('background must be true or false') };
  }
  return { agent, input: args.input, background: args.background === true };
}

function noRoomFor(state: RunState): Json | undefined {
  if (state.identity.ancestors.length >= LIMITS.depth) {
    return asJson(toolError('too_deep', `sub-agents nest at most ${LIMITS.depth} deep`));
  }
  if (state.children.unfinished >= MAX_UNFINISHED) {
    const message = `at most ${MAX_UNFINISHED} sub-agents at a time: collect some first`;
    return asJson(toolError('too_many_children', message));
  }
  return undefined;
}

/** Waits for one background sub-agent, or for all that have not been collected. */
export const collect: Tool = async ({ run, subAgents }, call) => {
  const args = call.args === null ? {} : argsOf(call);
  if (!args) return badArguments('collect takes an object, with child_run_id for one sub-agent');
  const { children } = run.state;
  const wanted = args.child_run_id ?? null;
  if (wanted === null) {
    const all = children.uncollected;
    for (const child of all) await subAgents.ended(child);
    return { results: all.map(outcomeOf) };
  }
  const child = typeof wanted === 'string' ? children.find(wanted) : undefined;
  if (!child) return asJson(toolError('unknown_child', 'child_run_id names no sub-agent of this run'));
  await subAgents.ended(child);
  return outcomeOf(child);
};

/** A sub-agent's outcome as a tool result. One that failed or was cancelled is an error to its caller, not a crash. */
function outcomeOf(child: Child): Json {
  child.collected = true;
  if (child.error === null) return { child_run_id: child.run_id, result: child.result };
  const code = child.status === 'cancelled' ? 'child_cancelled' : 'child_failed';
  return asJson(toolError(code, child.error.message, { child_run_id: child.run_id, code: child.error.code }));
}
