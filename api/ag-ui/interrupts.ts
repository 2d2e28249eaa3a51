/** Pending asks as interrupts. */
import type { Interrupt } from '@ag-ui/core';
import type { Message, ToolCall } from '../../workflows/contract';
import type { AskView } from '../service/asks';
import { interruptId, toolCallId } from './ids';

/** The ask as an interrupt. `calls` are those of the asking run that have no result yet. */
export function interruptOf(ask: AskView, calls: readonly ToolCall[], tag: { subagentRunId?: string }): Interrupt {
  const { run_id, ask_id, kind, question, context, options, asked_at, expires_at, assignee } = ask;
  const call = askingCall(ask, calls);
  return {
    id: interruptId(run_id, ask_id),
    reason: 'input_required',
    message: question,
    responseSchema: ask.pending_input_schema ?? {},
    ...(call ? { toolCallId: toolCallId(run_id, call.id) } : {}),
    ...(expires_at === null ? {} : { expiresAt: expires_at }),
    // The schema has the ids of the options; their labels are for whoever draws the form.
    metadata: { run_id, ask_id, kind, context, options, asked_at, assignee },
    ...tag,
  };
}

/** The call that asks: `ask_a_human` itself, or the one tool call that waits for approval. */
function askingCall(ask: AskView, calls: readonly ToolCall[]): ToolCall | undefined {
  const asking = calls.find(({ tool, args }) => tool === 'ask_a_human' && questionIn(args) === ask.question);
  if (asking) return asking;
  const gated = calls.filter(({ needs_approval }) => needs_approval === true);
  return gated.length === 1 ? gated[0] : undefined;
}

function questionIn(args: ToolCall['args']): unknown {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? args.question : undefined;
}

/** Keeps the calls of a run that have no result yet, from its messages in order. */
export class OpenCalls {
  private calls: ToolCall[] = [];

  take(message: Message): void {
    if (message.role === 'assistant') this.calls.push(...message.tool_calls);
    if (message.role === 'tool') this.calls = this.calls.filter(({ id }) => id !== message.tool_call_id);
  }

  list(): readonly ToolCall[] {
    return this.calls;
  }
}
