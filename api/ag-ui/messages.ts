/** The transcript of a run as AG-UI messages, and what of it the client has already. */
import {
  EventType,
  type AssistantMessage,
  type Event,
  type Message as AgUiMessage,
  type ToolMessage,
} from '@ag-ui/core';
import type { Json, Message } from '../../workflows/contract';
import { messageId, toolCallId } from './ids';

/** One message of a run's transcript, at its place. */
export interface PlacedMessage {
  runId: string;
  position: number;
  message: Message;
}

/** The message as AG-UI has it; null for what a run was given, which is not the agent's to say. */
export function agUiMessage({ runId, position, message }: PlacedMessage): AssistantMessage | ToolMessage | null {
  const id = messageId(runId, position);
  if (message.role === 'user') return null;
  if (message.role === 'tool') {
    return { id, role: 'tool', toolCallId: toolCallId(runId, message.tool_call_id), content: textOf(message.result) };
  }
  const toolCalls = message.tool_calls.map((call) => ({
    id: toolCallId(runId, call.id),
    type: 'function' as const,
    function: { name: call.tool, arguments: JSON.stringify(call.args) },
  }));
  const content = message.text ?? '';
  if (content === '' && toolCalls.length === 0) return null;
  return {
    id,
    role: 'assistant',
    ...(content === '' ? {} : { content }),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
  };
}

/** The message as a stream tells it. Text and arguments come whole: a model's turn is kept when it is over. */
export function eventsOf(message: AssistantMessage | ToolMessage, tag: { subagentRunId?: string }): Event[] {
  if (message.role === 'tool') {
    const { id, toolCallId, content } = message;
    return [{ type: EventType.TOOL_CALL_RESULT, messageId: id, toolCallId, content, role: 'tool', ...tag }];
  }
  const { id, content = '', toolCalls = [] } = message;
  const text: Event[] =
    content === ''
      ? []
      : [
          { type: EventType.TEXT_MESSAGE_START, messageId: id, role: 'assistant', ...tag },
          { type: EventType.TEXT_MESSAGE_CONTENT, messageId: id, delta: content, ...tag },
          { type: EventType.TEXT_MESSAGE_END, messageId: id, ...tag },
        ];
  const calls = toolCalls.flatMap(({ id: toolCallId, function: { name, arguments: args } }): Event[] => [
    { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: name, parentMessageId: id, ...tag },
    { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: args, ...tag },
    { type: EventType.TOOL_CALL_END, toolCallId, ...tag },
  ]);
  return [...text, ...calls];
}

/**
 * What the client has, by the messages that came with its request: those are the whole history, as the protocol says. So
 * nothing has to be remembered here between two segments.
 */
export class ClientHistory {
  private readonly byId: Map<string, AgUiMessage>;
  private mended = false;

  constructor(private readonly messages: readonly AgUiMessage[]) {
    this.byId = new Map(messages.map((message) => [message.id, message]));
  }

  /** True when the client has this message. One that reached it in part only is put right, for `snapshot`. */
  has(message: AssistantMessage | ToolMessage, tag: { subagentRunId?: string }): boolean {
    const theirs = this.byId.get(message.id);
    if (!theirs) return false;
    if (sayingOf(theirs) !== sayingOf(message)) {
      this.byId.set(message.id, { ...message, ...tag });
      this.mended = true;
    }
    return true;
  }

  /** The client's messages with those put right that had reached it in part; null when there are none. */
  snapshot(): AgUiMessage[] | null {
    return this.mended ? this.messages.map((message) => this.byId.get(message.id) ?? message) : null;
  }
}

function sayingOf(message: AgUiMessage): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const said = [message.content ?? '', calls.map((call) => [call.id, call.function.name, call.function.arguments])];
  return JSON.stringify(said);
}

function textOf(result: Json): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}
