/** How things of a conversation are named in AG-UI. Run ids hold no colon, so each name has one reading. */
import { isRunId } from '../../workflows/contract';

/** The interrupt that stands for an ask. */
export function interruptId(runId: string, askId: string): string {
  return `${runId}:${askId}`;
}

/** Which ask an interrupt stands for; null when it names none. */
export function readInterruptId(id: string): { run_id: string; ask_id: string } | null {
  const at = id.indexOf(':');
  const [run_id, ask_id] = [id.slice(0, Math.max(0, at)), id.slice(at + 1)];
  return isRunId(run_id) && /^q\d{1,9}$/.test(ask_id) ? { run_id, ask_id } : null;
}

/** The message at a position of a run's transcript: the same on every stream that tells it. */
export function messageId(runId: string, position: number): string {
  return `${runId}:m${position}`;
}

/** True for an id that `messageId` makes: such a message came from here. */
export function isOwnMessageId(id: string): boolean {
  const at = id.indexOf(':');
  return isRunId(id.slice(0, Math.max(0, at))) && /^m\d+$/.test(id.slice(at + 1));
}

/** Ids of calls count within a run. */
export function toolCallId(runId: string, callId: string): string {
  return `${runId}:${callId}`;
}
