/** An ask as lists show it: the question, and how it ended. */
import { z } from 'zod';
import { askOutcomeSchema, channelSchema, provenanceShape } from './events';
import { questionSchema } from './question';

/** How an ask ended, and by whom. Null fields say that there is none. */
export const askClosingSchema = z.strictObject({
  outcome: askOutcomeSchema,
  closed_at: z.string(),
  answer: z.string().nullable(),
  option_id: z.string().nullable(),
  /** A decline's reason. */
  message: z.string().nullable(),
  principal: z.string().nullable(),
  channel: channelSchema.nullable(),
  by: z.enum(['human', 'policy']).nullable(),
  // Absent when there is none: sub-agents of an older release send closings without them, and take none with them.
  ...provenanceShape,
});
export type AskClosing = z.infer<typeof askClosingSchema>;

/** One ask of a conversation; `closing` is null while it is pending. */
export const askSchema = z
  .strictObject({
    run_id: z.string(),
    ask_id: z.string(),
    state: z.enum(['pending', 'answered', 'declined', 'expired', 'withdrawn']),
    question: questionSchema,
    closing: askClosingSchema.nullable(),
  })
  .meta({ id: 'Ask' });
export type Ask = z.infer<typeof askSchema>;

/** Puts an ask and its closing together as readers see them. */
export function askOf(runId: string, question: Ask['question'], closing: AskClosing | null): Ask {
  return { run_id: runId, ask_id: question.ask_id, state: closing?.outcome ?? 'pending', question, closing };
}

/** The closing of an ask that nobody answered: the run ended, or the deadline came. */
export function closedUnanswered(outcome: 'withdrawn' | 'expired', closedAt: string): AskClosing {
  return {
    outcome,
    closed_at: closedAt,
    answer: null,
    option_id: null,
    message: null,
    principal: null,
    channel: null,
    by: null,
  };
}

/** One page of a run's asks, oldest first; positions count from 0. */
export interface AskPage {
  asks: Ask[];
  from: number;
  total: number;
  has_more: boolean;
}
