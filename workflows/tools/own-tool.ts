/** An agent's own tools: plain functions and tools of MCP servers, run by the worker as an activity. */
import { isCancellation } from '@temporalio/workflow';
import { toolPort } from '../activity-ports';
import {
  LIMITS,
  toolError,
  type Json,
  type RunError,
  type ToolCall,
  type ToolDefinition,
  type ToolError,
} from '../contract';
import { runErrorOf } from '../failures';
import { asJson, isToolError, type AgentToolContext } from './tool';

/** What all results of one turn may bring into the history, which the server ends at 50 MB. */
const TURN_RESULT_BYTES = 4 * 1024 * 1024;
const LEAST_RESULT_BYTES = 16 * 1024;

/** Runs one call, after a person has approved it where that is needed. Failures are tool errors: the model decides. */
export async function ownTool(context: AgentToolContext, tool: ToolDefinition, call: ToolCall): Promise<Json> {
  const { run, agent, gate } = context;
  const asked = call.needs_approval === true || tool.needs_approval === 'always';
  const approval = asked ? await gate.decision(agent, tool, call) : null;
  const step = run.state.beginStep({ kind: 'tool', name: (tool.title ?? tool.name).slice(0, 100) });
  if (approval && 'refused' in approval) {
    run.state.endStep(step, 'failed');
    return asJson(approval.refused);
  }
  const edited = approval?.edited ?? null;
  const result = await callIt(context, tool, edited === null ? call : { ...call, args: edited });
  run.state.endStep(step, isToolError(result) ? 'failed' : 'completed');
  // The model has to hear that it was not its own arguments that the tool ran with.
  return edited === null ? result : { edited_arguments: edited, result };
}

async function callIt(
  { run, agent, callsInTurn }: AgentToolContext,
  tool: ToolDefinition,
  call: ToolCall,
): Promise<Json> {
  const share = Math.floor(TURN_RESULT_BYTES / callsInTurn);
  try {
    return await toolPort(tool).executeWithOptions({ summary: tool.name }, [
      {
        run_id: run.state.runId,
        agent,
        call_id: call.id,
        tool,
        args: call.args,
        result_bytes: Math.max(LEAST_RESULT_BYTES, Math.min(LIMITS.toolResultBytes, share)),
      },
    ]);
  } catch (failure) {
    if (isCancellation(failure)) throw failure;
    return asJson(failureAsTold(runErrorOf(failure), tool));
  }
}

/** A failure in the model's terms. It has to hear when nobody knows whether the tool did its work. */
function failureAsTold({ code, message }: RunError, { attempts }: ToolDefinition): ToolError {
  if (code === 'timed_out') return toolError('tool_timed_out', message);
  if (code !== 'worker_lost') return toolError(code, message);
  const at = attempts === 1 ? 'its one attempt' : `the last of ${attempts} attempts`;
  return toolError('tool_lost', `${message} (at ${at}). The tool may or may not have taken effect`);
}
