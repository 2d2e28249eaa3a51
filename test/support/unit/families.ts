/** A run and the runs below it, as their signals tell it of them. */
import type { AskClosing, Question } from '../../../workflows/contract';
import { TestRun } from './runs';

/** An instant of the tests, in ISO 8601. */
export const at = (ms: number) => new Date(Date.parse('2026-11-30T10:00:00.000Z') + ms).toISOString();

export function questionOf(askedAt: number, n = 1): Question {
  const more = { context: null, options: null, expires_at: null, assignee: null };
  return { ask_id: `q${n}`, kind: 'free_form', question: `asked at ${askedAt}`, asked_at: at(askedAt), ...more };
}

export function answered(answer = 'x'): AskClosing {
  const by = { principal: 'ops', channel: 'http', by: 'human' } as const;
  return { outcome: 'answered', closed_at: at(9_000), answer, option_id: null, message: null, ...by };
}

/** A run with sub-agents; `ancestors` of an asker are the runs above it, its caller first. */
export class Family extends TestRun {
  opens(child_run_id: string, askedAt: number, options: { n?: number; between?: string[] } = {}): void {
    const question = questionOf(askedAt, options.n);
    const ancestors = [...(options.between ?? []), 'run_root', 'run_above'];
    this.state.childNeedsHuman({ child_run_id, question, timestamp: question.asked_at, ancestors });
  }

  closes(child_run_id: string, n = 1, closing: AskClosing = answered()): void {
    this.state.childAskClosed({ child_run_id, ask_id: `q${n}`, outcome: closing.outcome, closing });
  }

  get waiting(): string[] {
    return this.state.snapshot().children_awaiting.map(({ run_id, ask_id }) => `${run_id}/${ask_id}`);
  }

  get listed(): string[] {
    return this.state.pageOfAsks('pending', 0).asks.map(({ run_id, ask_id }) => `${run_id}/${ask_id}`);
  }
}
