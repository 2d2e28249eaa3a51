import { z } from 'zod';

/** What an ask does, set when the root run starts and inherited by every descendant (CONTRACT §2, Modes). */
export const ON_QUESTION = ['pause', 'auto', 'none'] as const;
export const onQuestionSchema = z.enum(ON_QUESTION);
export type OnQuestion = z.infer<typeof onQuestionSchema>;

/** A run's status on the wire (CONTRACT §4). */
export const RUN_STATUSES = ['running', 'awaiting_input', 'completed', 'failed', 'cancelled'] as const;
export const runStatusSchema = z.enum(RUN_STATUSES);
export type RunStatus = z.infer<typeof runStatusSchema>;

/** True once nothing more can happen to the run. */
export function isTerminal(status: RunStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
