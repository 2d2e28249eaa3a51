/** A run as the tools show it, and waiting until it ends or needs an answer. */
import { holderOf, isTerminal, type RunRecord } from '../../workflows/contract';
import { Bell } from '../streams/bell';
import type { McpDoor, PendingQuestion } from './door';

/** The record, and with it each question that keeps the run or one of its sub-agents waiting. */
export type RunView = RunRecord & { pending_questions: PendingQuestion[] };

export async function viewOf(door: McpDoor, record: RunRecord): Promise<RunView> {
  const { run_id, pending_input_context: own, claim, children_awaiting } = record;
  const alone = own ? [{ run_id, ...own, claim: holderOf(claim) }] : [];
  const pending_questions = children_awaiting.length === 0 ? alone : await door.questions(run_id);
  return { ...record, pending_questions };
}

export async function readView(door: McpDoor, runId: string): Promise<RunView> {
  return viewOf(door, await door.read(runId));
}

export type Waited = 'ended' | 'needs_answer' | 'timed_out';

/** Why there is nothing to wait for; null while there is. */
function overBecause(run: RunView): Waited | null {
  if (isTerminal(run.status)) return 'ended';
  return run.pending_questions.length > 0 ? 'needs_answer' : null;
}

/**
 * Waits until the run has ended, or it or a sub-agent of it needs an answer, or for `milliseconds`. It follows the run's
 * events, so a run in which nothing happens costs no worker anything. `signal` ends the wait early.
 */
export async function waitForRun(
  door: McpDoor,
  runId: string,
  milliseconds: number,
  signal: AbortSignal,
): Promise<{ run: RunView; waited: Waited }> {
  let run = await readView(door, runId);
  let waited = overBecause(run);
  if (waited !== null || milliseconds === 0) return { run, waited: waited ?? 'timed_out' };
  const timeUp = new AbortController();
  const timer = setTimeout(() => timeUp.abort(), milliseconds);
  const stop = AbortSignal.any([signal, timeUp.signal]);
  const news = new Bell();
  stop.addEventListener('abort', () => news.ring(), { once: true });
  let over = false;
  const watching = door
    .watch(runId, () => news.ring(), stop)
    .finally(() => {
      over = true;
      news.ring();
    });
  // Looked at below; until then it is nobody's unhandled rejection.
  watching.catch(() => undefined);
  try {
    while (waited === null && !over) {
      await news.heard();
      if (stop.aborted) break;
      run = await readView(door, runId);
      waited = overBecause(run);
    }
    // It has nothing more to say of a run that goes on: either it failed, which is thrown, or this process is stopping.
    if (over && waited === null) await watching;
    return { run, waited: waited ?? 'timed_out' };
  } finally {
    clearTimeout(timer);
    timeUp.abort();
  }
}
