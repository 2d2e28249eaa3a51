/** What a model is sent: the system prompt and the messages, made of the recorded definition and the transcript. */
import type { AssistantContent, ModelMessage } from 'ai';
import { jsonBytes, type AgentDefinition, type Json, type Message, type ToolCall } from '../../workflows/contract';
import { TranscriptLog } from '../../workflows/state/transcript-log';
import type { ModelTurnRequest } from '../model';

const DEFAULT_CONTEXT_BYTES = 400 * 1024;

/** The agent's instructions, and what the platform adds: the form of the final answer, and what was left out. */
export function systemPrompt(definition: AgentDefinition, leftOut: number): string {
  const parts = [definition.instructions ?? ''];
  if (definition.output_schema) {
    parts.push(
      'When you are done, your final message must be one JSON value and nothing else: no prose around it, no code ' +
        `fence. It must fit this JSON Schema:\n${JSON.stringify(definition.output_schema)}`,
    );
  }
  if (leftOut > 0) {
    parts.push(`To save space ${leftOut} earlier messages of this conversation are left out after the first one.`);
  }
  return parts.join('\n\n');
}

/** The transcript in the provider's terms, cut to the agent's `contextBytes`: whole turns go, so no result is without its call. */
export function promptOf({ definition, messages, dropped = 0 }: ModelTurnRequest & { definition: AgentDefinition }) {
  const kept = { dropped, messages: [...messages] };
  new TranscriptLog(kept).trim(definition.settings?.context_bytes ?? DEFAULT_CONTEXT_BYTES);
  return { system: systemPrompt(definition, kept.dropped), messages: modelMessages(kept.messages) };
}

function modelMessages(messages: readonly Message[]): ModelMessage[] {
  const providerIds = new Map<string, string>();
  return messages.map((message): ModelMessage => {
    if (message.role === 'user') return { role: 'user', content: asText(message.content) };
    if (message.role === 'assistant') {
      const ids = providerIdsOf(message.tool_calls);
      for (const [k, call] of message.tool_calls.entries()) providerIds.set(call.id, ids[k] ?? call.id);
      return { role: 'assistant', content: assistantContent(message, ids) };
    }
    return {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: providerIds.get(message.tool_call_id) ?? message.tool_call_id,
          toolName: message.tool,
          output: { type: 'json', value: message.result },
        },
      ],
    };
  });
}

function assistantContent(message: Extract<Message, { role: 'assistant' }>, ids: string[]): AssistantContent {
  const content: Exclude<AssistantContent, string> = [];
  for (const { text, options } of message.reasoning ?? []) {
    content.push({ type: 'reasoning', text, ...providerOptions(options) });
  }
  if (message.text) content.push({ type: 'text', text: message.text });
  for (const [k, call] of message.tool_calls.entries()) {
    content.push({
      type: 'tool-call',
      toolCallId: ids[k] ?? call.id,
      toolName: call.tool,
      input: isObject(call.args) ? call.args : { value: call.args },
      ...providerOptions(call.provider?.options),
    });
  }
  // A turn without a word is none to most providers.
  return content.length > 0 ? content : [{ type: 'text', text: '(no answer)' }];
}

/** The provider's own ids, which some of them insist on; ours where it gave none or gave one twice. */
function providerIdsOf(calls: ToolCall[]): string[] {
  const given = calls.map((call) => call.provider?.id);
  return calls.map((call, k) => {
    const id = given[k];
    return id !== undefined && given.indexOf(id) === k && given.lastIndexOf(id) === k ? id : call.id;
  });
}

function providerOptions(options: Json | undefined): { providerOptions?: Record<string, Record<string, Json>> } {
  return isObject(options) ? { providerOptions: options as Record<string, Record<string, Json>> } : {};
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asText(content: Json): string {
  return typeof content === 'string' && content !== ''
    ? content
    : JSON.stringify(content, null, jsonBytes(content) < 20_000 ? 2 : 0);
}
