import { askOf, closedUnanswered, type Ask, type AskClosing } from '../contract/asks';
import { LIMITS } from '../contract/limits';
import type { Question } from '../contract/question';
import { dropOldest } from './cut';

export interface DescendantAsk {
  run_id: string;
  /** The direct sub-agent through which the asker hangs below this run; the asker itself when it is one. */
  via_run_id: string;
  /** The step that started that sub-agent; absent when this run has started none of that name. */
  step_id?: string;
  /** Runs between this one and the asker, and the asker: any of them ending takes the ask with it. */
  branch: string[];
  question: Question;
}

export interface DescendantAsksData {
  /** Oldest first. */
  pending: DescendantAsk[];
  closed: { run_id: string; question: Question; closing: AskClosing }[];
  /** `run_id/ask_id` of closes that came before their opens: signals of two senders have no order. */
  early: string[];
  /** Runs known to have ended: nothing they ask counts any more. */
  gone: string[];
}

export function emptyDescendantAsks(): DescendantAsksData {
  return { pending: [], closed: [], early: [], gone: [] };
}

/**
 * Asks of the runs below this one, first come first served: by time of asking, ties in the order in which they got
 * here (CONTRACT §3). Only an open or a close moves anything.
 */
export class DescendantAsks {
  constructor(private readonly data: DescendantAsksData) {}

  /** Takes an ask in. False when it is known already, was closed before it came, or its run is gone. */
  open(ask: DescendantAsk): boolean {
    const { pending, closed, early, gone } = this.data;
    const key = keyOf(ask.run_id, ask.question.ask_id);
    if (ask.branch.some((runId) => gone.includes(runId))) return false;
    const earlyAt = early.indexOf(key);
    if (earlyAt >= 0) {
      early.splice(earlyAt, 1);
      return false;
    }
    const known = (run: string, question: Question) => keyOf(run, question.ask_id) === key;
    if (pending.some((other) => known(other.run_id, other.question))) return false;
    if (closed.some((other) => known(other.run_id, other.question))) return false;
    // Behind every ask that is as old or older.
    let at = pending.length;
    while (at > 0 && (pending[at - 1] as DescendantAsk).question.asked_at > ask.question.asked_at) at -= 1;
    pending.splice(at, 0, ask);
    return true;
  }

  /** Closes one ask. False when it is not pending here: closing twice changes nothing. */
  close(runId: string, askId: string, closing: AskClosing): boolean {
    const at = this.data.pending.findIndex((ask) => ask.run_id === runId && ask.question.ask_id === askId);
    if (at < 0) {
      const known = this.data.closed.some((ask) => ask.run_id === runId && ask.question.ask_id === askId);
      if (!known) remember(this.data.early, keyOf(runId, askId));
      return false;
    }
    const [ask] = this.data.pending.splice(at, 1) as [DescendantAsk];
    this.data.closed.push({ run_id: runId, question: ask.question, closing });
    if (this.data.closed.length >= 2 * LIMITS.keptAsks) this.data.closed.splice(0, LIMITS.keptAsks);
    return true;
  }

  /**
   * Withdraws everything that a run which ended, or a run below it, still asks; returns what was withdrawn. What they
   * may have on its way is ignored when it comes.
   */
  runEnded(runId: string, closedAt: string): { run_id: string; ask_id: string; closing: AskClosing }[] {
    remember(this.data.gone, runId);
    const dangling = this.data.pending.filter((ask) => ask.branch.includes(runId));
    return dangling.map((ask) => {
      const closing = closedUnanswered('withdrawn', closedAt);
      this.close(ask.run_id, ask.question.ask_id, closing);
      return { run_id: ask.run_id, ask_id: ask.question.ask_id, closing };
    });
  }

  get pending(): readonly DescendantAsk[] {
    return this.data.pending;
  }

  list(): Ask[] {
    return [
      ...this.data.closed.map((ask) => askOf(ask.run_id, ask.question, ask.closing)),
      ...this.data.pending.map((ask) => askOf(ask.run_id, ask.question, null)),
    ];
  }

  trimForCarrying(): void {
    dropOldest(this.data.closed, LIMITS.carriedBytes / 4);
    dropOldest(this.data.early, LIMITS.carriedBytes / 16);
    dropOldest(this.data.gone, LIMITS.carriedBytes / 16);
  }
}

function keyOf(runId: string, askId: string): string {
  return `${runId}/${askId}`;
}

function remember(list: string[], item: string): void {
  if (list.includes(item)) return;
  list.push(item);
  if (list.length > LIMITS.keptAsks) list.shift();
}
