import { chosenAnswer, declineMessage, judgeAnswer, type Answer } from '../contract/answer';
import type { AskClosing } from '../contract/asks';
import { isHeldByAnother } from '../contract/claims';
import { provenanceOf } from '../contract/events';
import {
  answerSignalSchema,
  boundRefusalSchema,
  NO_ASK,
  readAnswerSignal,
  type AnswerOutcome,
  type AnswerSignal,
  type BoundRefusal,
  type ReadAnswerSignal,
} from '../contract/messages';
import type { Question } from '../contract/question';
import { humanDeclined, type AskResult } from '../contract/tool-results';
import type { RunState } from './run-state';

/**
 * Judges one `answer` signal and applies it: the workflow's own verdict, whoever sent it (CONTRACT §5). The first good
 * answer closes the ask; every other one changes nothing but the ledger and an `ask.rejected` event. Never throws, a
 * throw in a signal handler would wedge the run.
 */
export function takeAnswer(state: RunState, payload: unknown): AnswerOutcome {
  const signal = readAnswerSignal(payload);
  const named = answerIdOf(payload);
  const known = named === null ? null : state.ledger.find(named);
  if (known) return known;

  const pending = state.asks.pending;
  const sentFor = signal.ok ? signal.value.ask_id : undefined;
  const outcome: AnswerOutcome = {
    // An answer that nobody named is nobody's retry: told by its place in the log, and not kept in the ledger.
    answer_id: named ?? `signal-${state.log.lastId + 1}`,
    ask_id: sentFor === NO_ASK ? null : (sentFor ?? pending?.ask_id ?? state.asks.newestId),
    verdict: 'taken',
    issues: [],
    digest: signal.ok ? (signal.value.digest ?? null) : null,
  };
  if (sentFor === NO_ASK) Object.assign(outcome, boundRefusalOf(signal));
  else if (!pending) outcome.verdict = 'run_not_waiting';
  else if (sentFor !== undefined && sentFor !== pending.ask_id) outcome.verdict = 'ask_mismatch';
  else if (!signal.ok) Object.assign(outcome, { verdict: 'invalid_input', issues: signal.issues });
  else if (isHeldByAnother(state.liveClaim, signal.value.principal)) outcome.verdict = 'claimed';
  else {
    const verdict = judgeAnswer(pending, signal.value.input, {
      approval: state.asks.isApproval,
      given_by: signal.value.given_by,
    });
    if (verdict.ok) {
      const { closing, result } = closingOf(pending, verdict.answer, signal.value, state.now());
      state.closeAsk(closing, result);
    } else Object.assign(outcome, { verdict: 'invalid_input', issues: verdict.issues });
  }
  if (named !== null) state.ledger.record(outcome);
  if (outcome.verdict !== 'taken' && outcome.ask_id !== null) {
    state.emit('ask.rejected', {
      ask_id: outcome.ask_id,
      code: outcome.verdict,
      principal: (signal.ok && signal.value.principal) || null,
      channel: (signal.ok && signal.value.channel) || 'signal',
      issues: outcome.issues.slice(0, 5),
    });
  }
  return outcome;
}

/** What a key stands for that is bound to no ask. */
function boundRefusalOf(signal: ReadAnswerSignal): BoundRefusal {
  const parsed = boundRefusalSchema.safeParse(signal.ok ? signal.value.input : null);
  return parsed.success ? parsed.data : { verdict: 'run_not_waiting', issues: [] };
}

/** The name that an answer was given, even when the rest of the signal is malformed: its sender asks by that name. */
function answerIdOf(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'answer_id')) return null;
  const parsed = answerSignalSchema.shape.answer_id.safeParse((payload as { answer_id?: unknown }).answer_id);
  return parsed.success ? (parsed.data ?? null) : null;
}

function closingOf(
  question: Question,
  answer: Answer,
  signal: AnswerSignal,
  now: string,
): { closing: AskClosing; result: AskResult } {
  const by = {
    principal: signal.principal ?? null,
    channel: signal.channel ?? 'signal',
    by: 'human',
    ...provenanceOf(signal),
  } as const;
  if (answer.kind === 'decline') {
    const message = declineMessage(answer);
    return {
      closing: { outcome: 'declined', closed_at: now, answer: null, option_id: null, message, ...by },
      result: humanDeclined(message),
    };
  }
  const chosen = chosenAnswer(question, answer) ?? { answer: '' };
  return {
    closing: {
      outcome: 'answered',
      closed_at: now,
      answer: chosen.answer,
      option_id: chosen.option_id ?? null,
      message: null,
      ...by,
    },
    result: chosen,
  };
}
