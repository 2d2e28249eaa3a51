import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { generateText as GenerateText, ToolSet } from 'ai';
import type { AgentDefinition, Json, Reasoning, ToolCall } from '../../workflows/contract';
import type { Model, ModelResponse, ModelTurnRequest } from '../model';
import { offeredTools } from './built-in-tools';
import { modelFailure } from './failures';
import { promptOf } from './prompt';
import { languageModel, missingSettingOf } from './providers';

type Sdk = typeof import('ai');
let loading: Promise<Sdk> | undefined;

/** The SDK, loaded at its first use: Node looks the name up anew at each `import()`, which a turn need not pay for. */
function sdk(): Promise<Sdk> {
  return (loading ??= import('ai'));
}

const DEFAULT_TIMEOUT_MS = 5 * 60 * 1_000;

/**
 * A model behind one of the AI SDK's providers: which one, with what instructions and tools, says the definition that
 * the run has recorded. One call is one request: the SDK's own retries are off, Temporal's are on.
 */
export class AiSdkModel implements Model {
  async respond(request: ModelTurnRequest, cancelled: AbortSignal): Promise<ModelResponse> {
    const { definition } = request;
    const model = definition?.model;
    if (!definition || !model) {
      throw ApplicationFailure.nonRetryable('the run has recorded no model', 'model_not_found');
    }
    const missing = missingSettingOf(model);
    if (missing !== null) throw ApplicationFailure.nonRetryable(missing, 'model_auth_failed');
    const { generateText, jsonSchema } = await sdk();
    const { temperature, max_output_tokens, timeout_ms = DEFAULT_TIMEOUT_MS } = definition.settings ?? {};
    const tools: ToolSet = Object.fromEntries(
      offeredTools(definition).map(({ name, description, input_schema }) => [
        name,
        { description, inputSchema: jsonSchema(input_schema) },
      ]),
    );
    const timeUp = AbortSignal.timeout(timeout_ms);
    try {
      const result = await generateText({
        ...promptOf({ ...request, definition }),
        model: await languageModel(model),
        tools,
        maxRetries: 0,
        abortSignal: AbortSignal.any([cancelled, timeUp]),
        ...(temperature === undefined ? {} : { temperature }),
        ...(max_output_tokens === undefined ? {} : { maxOutputTokens: max_output_tokens }),
      });
      return responseOf(result, request.turn, model);
    } catch (error) {
      if (cancelled.aborted) throw new CancelledFailure('the model turn was cancelled');
      throw modelFailure(error, model, timeUp.aborted);
    }
  }
}

type Result = Awaited<ReturnType<typeof GenerateText<ToolSet>>>;
type Call = Result['toolCalls'][number];

function responseOf(result: Result, turn: number, model: string): ModelResponse {
  const { finishReason, usage, toolCalls } = result;
  if (finishReason === 'content-filter' && toolCalls.length === 0) {
    const message = `the provider of ${model} has filtered the answer for its content`;
    throw ApplicationFailure.nonRetryable(message, 'model_filtered');
  }
  if (finishReason === 'length' && toolCalls.length === 0) {
    const message = `the answer of the model ${model} was cut: it has reached the tokens that it may write in one turn`;
    throw ApplicationFailure.nonRetryable(message, 'output_cut');
  }
  const calls = toolCalls.map((call, k) => callOf(call, `call_${turn + 1}_${k + 1}`));
  const reasoning = result.reasoning.map(({ text, providerMetadata }): Reasoning => {
    return providerMetadata === undefined ? { text } : { text, options: providerMetadata as Json };
  });
  return {
    text: result.text === '' ? null : result.text,
    calls,
    final: calls.length === 0,
    tokens: usage.totalTokens ?? (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0),
    ...(reasoning.length === 0 ? {} : { reasoning }),
  };
}

/** A call under an id of our own: a provider may number its calls anew in every turn, and a run's must all differ. */
function callOf(call: Call, id: string): ToolCall {
  const provider = {
    id: call.toolCallId,
    ...(call.providerMetadata === undefined ? {} : { options: call.providerMetadata as Json }),
  };
  const args = asJson(call.input);
  // What the SDK could not parse it hands on as text; a tool that it does not know is told by the run.
  if (typeof call.input === 'string') {
    return { id, tool: call.toolName, args: {}, refused: 'the arguments are not valid JSON', provider };
  }
  return { id, tool: call.toolName, args, provider };
}

function asJson(value: unknown): Json {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? {} : (JSON.parse(text) as Json);
}

/** Loads the SDK ahead of the first turn, so that no run waits for it. */
export async function preloadAiSdk(definitions: Iterable<Pick<AgentDefinition, 'model'>>): Promise<void> {
  for (const { model } of definitions) {
    if (!model || missingSettingOf(model) !== null) continue;
    await sdk();
    await languageModel(model);
  }
}
