/** The rules of the contract, applied before an answer is sent: the server judges it again and has the last word. */
import type { Answer, Issue, Question } from '../../client';
import { OTHER_OPTION_ID } from '../../workflows/contract/ids';
import { LIMITS } from '../../workflows/contract/limits';
import { characters, isBlank, isWellFormed } from '../../workflows/contract/text';
import type { Draft } from './draft';
import { fill, type AskStrings } from './strings';

/** Characters that still fit; negative when there are too many. */
export function charactersLeft(text: string): number {
  return LIMITS.answerText - characters(text);
}

/** The answer that a draft stands for; null while nothing is chosen. */
export function answerOf(question: Question, draft: Draft): Answer | null {
  if (draft.declining) return isBlank(draft.reason) ? { kind: 'decline' } : { kind: 'decline', reason: draft.reason };
  if (question.kind === 'free_form') return { kind: 'free_form', text: draft.text };
  if (draft.optionId === null) return null;
  const chosen = { kind: 'multiple_choice' as const, option_id: draft.optionId };
  return draft.optionId === OTHER_OPTION_ID ? { ...chosen, other_text: draft.otherText } : chosen;
}

/** What the server would refuse, in the form in which it would say so. */
export function issuesOf(answer: Answer | null, strings: AskStrings): Issue[] {
  if (answer === null) return [{ path: 'input.option_id', code: 'invalid_value', message: strings.issueNoOption }];
  switch (answer.kind) {
    case 'free_form':
      return textIssues('input.text', answer.text, true, strings);
    case 'decline':
      return textIssues('input.reason', answer.reason ?? '', false, strings);
    case 'multiple_choice':
      if (answer.option_id !== OTHER_OPTION_ID) return [];
      return textIssues('input.other_text', answer.other_text ?? '', true, strings);
  }
}

function textIssues(path: string, text: string, required: boolean, strings: AskStrings): Issue[] {
  if (charactersLeft(text) < 0) {
    return [{ path, code: 'too_long', message: fill(strings.issueTooLong, { count: LIMITS.answerText }) }];
  }
  if (!isWellFormed(text)) return [{ path, code: 'lone_surrogate', message: strings.issueSurrogate }];
  if (required && isBlank(text)) return [{ path, code: 'blank', message: strings.issueBlank }];
  return [];
}
