import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { jsonBytes, LIMITS, type AgentDefinition, type ToolCall } from '../workflows/contract';
import { definitionToGoOnWith, recordedDefinition, type SubAgentFacts } from './agent-definition';
import { finalOutput } from './final-output';
import { whileBeating } from './heartbeat';
import { judgedCall } from './judge-calls';
import type { Agent, DelegableWorkflow, ModelResponse, ModelTurnRequest, ModelTurnResult } from './model';
import { wholeReply } from './model-reply';
import { AiSdkModel } from './models/ai-sdk-model';

/** One model turn: finds the agent, asks its model, and keeps what comes back within what a run can hold. */
export function createModelTurn(deps: {
  agents: ReadonlyMap<string, Agent>;
  continueAsNewAfter?: number | undefined;
  workflows?: readonly DelegableWorkflow[] | undefined;
}) {
  const { workflows = [] } = deps;
  const subAgents = new Map<string, SubAgentFacts>(deps.agents);
  for (const workflow of workflows) subAgents.set(workflow.agent, workflow);
  return async function modelTurn(request: ModelTurnRequest): Promise<ModelTurnResult> {
    const agent = deps.agents.get(request.agent);
    const recorded = request.definition;
    if (!agent && !recorded?.model) throw unknownAgent(request, [...deps.agents.keys()]);
    return whileBeating(async () => {
      const { cancellationSignal } = Context.current();
      if (agent && recorded === null) checkInput(agent, request);
      const definition = recorded
        ? definitionToGoOnWith(recorded, agent, request.turn)
        : await recordedDefinition(agent as Agent, subAgents, cancellationSignal);
      const reply = await modelOf(agent, definition).respond({ ...request, definition }, cancellationSignal);
      const response = bounded(wholeReply(request.agent, reply));
      const result: ModelTurnResult = await judged(response, { agent, agents: deps.agents }, definition);
      if (definition !== recorded) result.definition = definition;
      if (recorded === null) {
        if (deps.continueAsNewAfter !== undefined) result.continue_as_new_after = deps.continueAsNewAfter;
        if (workflows.length > 0) {
          result.workflows = workflows.map(({ agent: name, type, task_queue }) => ({ agent: name, type, task_queue }));
        }
      }
      return result;
    });
  };
}

/** How long a worker that lacks a paused run's agent leaves the run to others, and to the deploy that mends it. */
const NEXT_WORKER = '5 minutes';

/** A run that begins has a wrong name. One that has begun had its agent: what is wrong is this worker, not the run. */
function unknownAgent({ agent, definition }: ModelTurnRequest, known: string[]): ApplicationFailure {
  const message = `unknown agent ${agent}; this worker has: ${known.join(', ') || 'none'}`;
  if (definition === null) return ApplicationFailure.nonRetryable(message, 'unknown_agent');
  return ApplicationFailure.create({ message, type: 'unknown_agent', nextRetryDelay: NEXT_WORKER });
}

/** The recorded model goes on though the agent was given another one since, or is gone. */
function modelOf(agent: Agent | undefined, definition: AgentDefinition): Agent['model'] {
  if (definition.model) return new AiSdkModel();
  return (agent as Agent).model;
}

/** A sub-agent's input, or that of a run started by hand, comes past the API: the same judge, at the first turn. */
function checkInput(agent: Agent, { input }: ModelTurnRequest): void {
  const [issue] = agent.spec ? (agent.checkInput?.(input) ?? []) : [];
  if (!issue) return;
  const message = `the input of ${agent.name} is wrong at ${issue.path || 'its top'}: ${issue.message}`;
  throw ApplicationFailure.nonRetryable(message, 'invalid_input');
}

function bounded(response: ModelResponse): ModelResponse {
  if (response.calls.length > LIMITS.callsPerTurn) {
    const message = `the model made ${response.calls.length} calls in one turn; at most ${LIMITS.callsPerTurn} fit`;
    throw ApplicationFailure.nonRetryable(message, 'too_many_calls');
  }
  const whole = { ...response, calls: response.calls.map(boundedCall) };
  if (jsonBytes([whole.calls, whole.text, whole.reasoning]) <= LIMITS.modelTurnBytes) return whole;
  // Thoughts are for the provider alone: they go first.
  const { reasoning: _, ...bare } = whole;
  bare.calls = bare.calls.map((call) => (call.provider?.options === undefined ? call : withoutOptions(call)));
  const bytes = jsonBytes(bare.calls) + jsonBytes(bare.text);
  if (bytes <= LIMITS.modelTurnBytes) return bare;
  const message = `the model's turn has ${bytes} bytes; at most ${LIMITS.modelTurnBytes} fit`;
  throw ApplicationFailure.nonRetryable(message, 'model_turn_too_large');
}

function withoutOptions(call: ToolCall): ToolCall {
  const { options: _, ...provider } = call.provider ?? {};
  return { ...call, provider };
}

/** A call whose arguments would not fit a run: it keeps its id, so that the model hears why it was refused. */
function boundedCall(call: ToolCall): ToolCall {
  const bytes = jsonBytes(call.args);
  if (bytes <= LIMITS.toolArgsBytes) return call;
  return { ...call, args: {}, refused: `the arguments had ${bytes} bytes; at most ${LIMITS.toolArgsBytes} fit` };
}

async function judged(
  response: ModelResponse,
  worker: { agent: Agent | undefined; agents: ReadonlyMap<string, Agent> },
  definition: AgentDefinition,
): Promise<ModelTurnResult> {
  const calls = await Promise.all(response.calls.map((call) => judgedCall(worker, definition, call)));
  const result: ModelTurnResult = { ...response, calls };
  if (!response.final || !definition.output_schema) return result;
  return { ...result, ...(await finalOutput(definition.output_schema, worker.agent, response.text)) };
}
