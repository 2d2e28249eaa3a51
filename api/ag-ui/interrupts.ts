/** Pending asks as interrupts. */
import { isDeepStrictEqual } from 'node:util';
import type { Interrupt } from '@ag-ui/core';
import { judgeAskArgs, OTHER_OPTION_ID, type Message, type ToolCall } from '../../workflows/contract';
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

/**
 * The call that asks: `ask_a_human` itself, or the tool call that waits for approval. None when several could be it, as two
 * of one turn that ask the very same: a wrong one is worse than none.
 */
function askingCall(ask: AskView, calls: readonly ToolCall[]): ToolCall | undefined {
  const asking = calls.filter(({ tool }) => tool === 'ask_a_human');
  const fits = [
    asking.filter(({ args }) => asks(args, ask)),
    // The transcript holds long arguments cut.
    asking.filter(({ args }) => questionIn(args) === ask.question),
    calls.filter(({ needs_approval }) => needs_approval === true),
  ].find((some) => some.length > 0);
  return fits?.length === 1 ? fits[0] : undefined;
}

function questionIn(args: ToolCall['args']): unknown {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? args.question : undefined;
}

/** Whether this question comes of these arguments: by the rules by which the run made it. */
function asks(args: ToolCall['args'], { kind, question, context, options }: AskView): boolean {
  const verdict = judgeAskArgs(args);
  const labels = options?.filter(({ id }) => id !== OTHER_OPTION_ID).map(({ label }) => label) ?? null;
  return verdict.ok && isDeepStrictEqual(verdict.ask, { kind, question, context, labels });
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
