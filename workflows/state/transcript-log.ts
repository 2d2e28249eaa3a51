import { jsonBytes, type Json } from '../contract/json';
import { LIMITS } from '../contract/limits';
import type { Message, MessagePage } from '../contract/transcript';
import { cutGently, cutToFit, cutValue, pageFrom } from './cut';

export interface TranscriptData {
  /** Messages dropped after the first one, which always stays. */
  dropped: number;
  messages: Message[];
}

/** What the agent has seen, in order. The first message, the task itself, is never dropped. */
export class TranscriptLog {
  constructor(private readonly data: TranscriptData) {}

  append(message: Message): void {
    this.data.messages.push(message.role === 'tool' ? { ...message, result: boundedResult(message.result) } : message);
  }

  get messages(): readonly Message[] {
    return this.data.messages;
  }

  /** Messages after the first that are no longer kept. */
  get dropped(): number {
    return this.data.dropped;
  }

  /** A page from position `from`, at most `limit` messages and about 1 MB. */
  page(from: number, limit: number): MessagePage {
    const { messages, dropped } = this.data;
    const total = messages.length + dropped;
    // Position 0 is the first message; positions 1 … dropped are no longer kept.
    const index = from <= 0 ? 0 : Math.max(1, from - dropped);
    const { taken, hasMore } = pageFrom(messages, index, limit);
    return { messages: taken, from: Math.min(index === 0 ? 0 : index + dropped, total), total, has_more: hasMore };
  }

  /**
   * Keeps the transcript within what a payload may hold: whole turns go, the oldest first, and never the task or the
   * latest turn; when that turn alone is too large, its long texts are cut, then all of it but its beginnings.
   */
  trim(maxBytes: number): void {
    const { messages } = this.data;
    let total = messages.reduce((sum, message) => sum + jsonBytes(message), 0);
    while (total > maxBytes) {
      const next = messages.findIndex((message, index) => index > 1 && message.role === 'assistant');
      if (next < 0) break;
      const gone = messages.splice(1, next - 1);
      this.data.dropped += gone.length;
      total -= gone.reduce((sum, message) => sum + jsonBytes(message), 0);
    }
    for (let i = 1; i < messages.length && total > maxBytes; i += 1) {
      const message = messages[i] as Message;
      const cut = cutValue(withoutReasoning(message)) as Message;
      total += jsonBytes(cut) - jsonBytes(message);
      messages[i] = cut;
    }
    if (total <= maxBytes) return;
    // Large for its many small parts: each call and each result gets its share of what the task leaves.
    const parts = messages.reduce((sum, { role }, i) => sum + (role === 'assistant' ? callsOf(messages[i]) : 1), 0);
    const share = Math.max(256, Math.floor((maxBytes - jsonBytes(messages[0])) / (2 * parts)));
    for (let i = 1; i < messages.length; i += 1) messages[i] = shortened(messages[i] as Message, share);
  }
}

function callsOf(message: Message | undefined): number {
  return message?.role === 'assistant' ? message.tool_calls.length : 0;
}

/** Cut thoughts are worse than none: a provider that wants them back wants them whole. */
function withoutReasoning(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const { reasoning: _, ...rest } = message;
  const tool_calls = rest.tool_calls.map((call) => {
    if (call.provider?.options === undefined) return call;
    return { ...call, provider: call.provider.id === undefined ? {} : { id: call.provider.id } };
  });
  return { ...rest, tool_calls };
}

function shortened(message: Message, maxBytes: number): Message {
  if (message.role === 'tool') return { ...message, result: cutToFit(message.result, maxBytes) };
  if (message.role === 'user') return { ...message, content: cutToFit(message.content, maxBytes) };
  const tool_calls = message.tool_calls.map((call) => ({ ...call, args: cutToFit(call.args, maxBytes) }));
  return { ...message, tool_calls };
}

/** A tool's result, cut with a note when it takes more than `maxBytes`. */
export function boundedResult(result: Json, maxBytes: number = LIMITS.toolResultBytes): Json {
  const bytes = jsonBytes(result);
  if (bytes <= maxBytes) return result;
  const note = `the result had ${bytes} bytes and was cut`;
  return { cut: true, note, result: cutGently(result, maxBytes / 2) };
}
