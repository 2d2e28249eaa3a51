import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { jsonBytes, LIMITS, type ToolCall } from '../workflows/contract';
import type { Agent, ModelTurnRequest, ModelTurnResult } from './model';

const HEARTBEAT_MS = 5_000;

/** One model turn: finds the agent, asks its model, and keeps what comes back within what a run can hold. */
export function createModelTurn(deps: { agents: ReadonlyMap<string, Agent>; continueAsNewAfter?: number | undefined }) {
  return async function modelTurn(request: ModelTurnRequest): Promise<ModelTurnResult> {
    const agent = deps.agents.get(request.agent);
    if (!agent) {
      const known = [...deps.agents.keys()].join(', ') || 'none';
      throw ApplicationFailure.nonRetryable(`unknown agent; this worker has: ${known}`, 'unknown_agent');
    }
    const context = Context.current();
    const beat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
    try {
      const response = await agent.model.respond(request, context.cancellationSignal);
      if (response.calls.length > LIMITS.callsPerTurn) {
        const message = `the model made ${response.calls.length} calls in one turn; at most ${LIMITS.callsPerTurn} fit`;
        throw ApplicationFailure.nonRetryable(message, 'too_many_calls');
      }
      const calls = response.calls.map(boundedCall);
      const bytes = jsonBytes(calls) + jsonBytes(response.text);
      if (bytes > LIMITS.modelTurnBytes) {
        const message = `the model's turn has ${bytes} bytes; at most ${LIMITS.modelTurnBytes} fit`;
        throw ApplicationFailure.nonRetryable(message, 'model_turn_too_large');
      }
      const result: ModelTurnResult = { ...response, calls };
      if (request.definition === null) {
        result.definition = { name: agent.name, description: agent.description };
        if (deps.continueAsNewAfter !== undefined) result.continue_as_new_after = deps.continueAsNewAfter;
      }
      return result;
    } finally {
      clearInterval(beat);
    }
  };
}

/** A call whose arguments would not fit a run: it keeps its id, so that the model hears why it was refused. */
function boundedCall(call: ToolCall): ToolCall {
  const bytes = jsonBytes(call.args);
  if (bytes <= LIMITS.toolArgsBytes) return call;
  return { ...call, args: {}, refused: `the arguments had ${bytes} bytes; at most ${LIMITS.toolArgsBytes} fit` };
}
