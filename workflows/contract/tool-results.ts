/** Tool results, exactly as an agent gets them (CONTRACT §2). No key more, no key less. */
import type { ChosenAnswer } from './answer';

export type AskResult =
  | ChosenAnswer
  | { error: 'ask_in_flight' }
  | { error: 'invalid_question'; message: string }
  | { error: 'no_human_in_loop' }
  | { skipped: true; reason: 'on_question_auto' }
  | { skipped: true; reason: 'human_declined'; message?: string };

/** A tool call that could not be done: the agent goes on and decides what to make of it. */
export interface ToolError {
  error: string;
  message: string;
  [detail: string]: unknown;
}

export const askInFlight: AskResult = { error: 'ask_in_flight' };
export const noHumanInLoop: AskResult = { error: 'no_human_in_loop' };
export const skippedByAuto: AskResult = { skipped: true, reason: 'on_question_auto' };

export function invalidQuestion(message: string): AskResult {
  return { error: 'invalid_question', message };
}

export function humanDeclined(message: string | null): AskResult {
  return message === null
    ? { skipped: true, reason: 'human_declined' }
    : { skipped: true, reason: 'human_declined', message };
}

export function toolError(error: string, message: string, details: Record<string, unknown> = {}): ToolError {
  return { error, message, ...details };
}
