import { askOf, type Ask, type AskClosing } from '../contract/asks';
import { LIMITS } from '../contract/limits';
import { buildQuestion, type AskArgs, type Question } from '../contract/question';
import type { AskResult } from '../contract/tool-results';
import { dropOldest } from './cut';

export interface OwnAsksData {
  /** How many asks this run has opened: the next is number `opened + 1`, so no id is ever used twice. */
  opened: number;
  pending: Question | null;
  /** True when the pending ask is an approval; left out otherwise. */
  approval?: boolean;
  closed: { question: Question; closing: AskClosing }[];
  /** What the agent gets of an ask that is closed and whose tool call has not picked it up yet. */
  results: Record<string, AskResult>;
}

export function emptyOwnAsks(): OwnAsksData {
  return { opened: 0, pending: null, closed: [], results: {} };
}

/** The asks of one run: at most one is pending. */
export class OwnAsks {
  constructor(private readonly data: OwnAsksData) {}

  get pending(): Question | null {
    return this.data.pending;
  }

  /** Id of the newest ask, pending or closed; null before the first. */
  get newestId(): string | null {
    return this.data.pending?.ask_id ?? this.data.closed.at(-1)?.question.ask_id ?? null;
  }

  /** True when an approval is pending. */
  get isApproval(): boolean {
    return this.data.approval === true;
  }

  /** Opens an ask. The caller has made sure that none is pending. */
  open(
    ask: AskArgs,
    facts: { askedAt: string; expiresAt: string | null; assignee: string | null; approval: boolean },
  ): Question {
    this.data.opened += 1;
    if (facts.approval) this.data.approval = true;
    this.data.pending = buildQuestion(ask, { n: this.data.opened, ...facts });
    return this.data.pending;
  }

  /** Closes the pending ask. `result` is what its tool call returns. */
  close(closing: AskClosing, result: AskResult): void {
    const question = this.data.pending;
    if (!question) return;
    this.data.pending = null;
    delete this.data.approval;
    this.data.closed.push({ question, closing });
    if (this.data.closed.length >= 2 * LIMITS.keptAsks) this.data.closed.splice(0, LIMITS.keptAsks);
    this.data.results[question.ask_id] = result;
  }

  /** The result of a closed ask, handed out once; undefined while it is pending. */
  takeResult(askId: string): AskResult | undefined {
    const result = this.data.results[askId];
    delete this.data.results[askId];
    return result;
  }

  isOpen(askId: string): boolean {
    return this.data.pending?.ask_id === askId;
  }

  /** This run's asks, oldest first. */
  list(runId: string): Ask[] {
    const asks = this.data.closed.map(({ question, closing }) => askOf(runId, question, closing));
    if (this.data.pending) asks.push(askOf(runId, this.data.pending, null));
    return asks;
  }

  trimForCarrying(): void {
    dropOldest(this.data.closed, LIMITS.carriedBytes / 2);
  }
}
