import { LIMITS } from '../contract/limits';
import type { AnswerOutcome } from '../contract/messages';
import { dropOldest } from './cut';

/**
 * What became of each answer signal, by answer id: read back by whoever sent it, and what makes a repeated signal one
 * answer. The last 1,000 are kept.
 */
export class AnswerLedger {
  constructor(private readonly outcomes: AnswerOutcome[]) {}

  find(answerId: string): AnswerOutcome | null {
    return this.outcomes.find((outcome) => outcome.answer_id === answerId) ?? null;
  }

  record(outcome: AnswerOutcome): void {
    this.outcomes.push(outcome);
    if (this.outcomes.length > LIMITS.keptOutcomes) this.outcomes.shift();
  }

  /** Issues are told once; what must stay is that the answer was judged. */
  trimForCarrying(): void {
    for (const outcome of this.outcomes) outcome.issues = outcome.issues.slice(0, 1);
    dropOldest(this.outcomes, LIMITS.carriedBytes / 4);
  }
}
