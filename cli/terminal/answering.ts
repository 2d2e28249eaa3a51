/** From what a person gave, by options or at the prompt, to an answer in the contract's form. */
import type { Answer, Ask } from '../../client';
import { chosenAnswer, judgeAnswer, judgeText, OTHER_OPTION_ID } from '../../workflows/contract';
import { CommandError, EXIT } from './exit';
import { givenText } from './given';
import { askChoice, askText, type Choice } from './prompts';
import { safeLine } from './safe-text';

export interface AnswerOptions {
  option?: string;
  other?: string;
  text?: string;
  decline?: boolean;
  reason?: string;
}

/** True when the options hold an answer, so that nobody has to be asked. */
export function isGiven({ option, other, text, decline }: AnswerOptions): boolean {
  return [option, other, text].some((value) => value !== undefined) || decline === true;
}

/**
 * The answer that options give, whichever ask it is for. What does not fit the question is left to the API to refuse.
 * Throws `CommandError`.
 */
export async function givenAnswer(options: AnswerOptions): Promise<(ask: Ask) => Answer> {
  const { option, other, text, decline, reason } = options;
  if ([option, other, text, decline].filter((value) => value !== undefined).length > 1) {
    throw new CommandError('an answer is one of --option, --other, --text and --decline', EXIT.usage);
  }
  if (reason !== undefined && !decline) throw new CommandError('--reason goes with --decline', EXIT.usage);
  if (option !== undefined) return (ask) => ({ kind: 'multiple_choice', option_id: optionId(ask, option) });
  const answer = await givenWords({ other, text, reason });
  return () => answer;
}

/** Any answer but an option. Standard input is read here, once. */
async function givenWords({ other, text, reason }: AnswerOptions): Promise<Answer> {
  if (text !== undefined) return { kind: 'free_form', text: await givenText(text) };
  if (other !== undefined) {
    return { kind: 'multiple_choice', option_id: OTHER_OPTION_ID, other_text: await givenText(other) };
  }
  return reason === undefined ? { kind: 'decline' } : { kind: 'decline', reason: await givenText(reason) };
}

/** An option by its label, its id, or its place from 1. An id that is unknown goes to the API as it is, to be refused. */
function optionId(ask: Ask, given: string): string {
  const options = ask.options ?? [];
  const named = judgeText(ask, given);
  if (named.ok && named.answer.kind === 'multiple_choice' && named.answer.option_id !== OTHER_OPTION_ID) {
    return named.answer.option_id;
  }
  const byPlace = /^[1-9]$/.test(given) ? options[Number(given) - 1]?.id : undefined;
  const id = options.some((option) => option.id === given) ? given : (byPlace ?? given);
  if (id === OTHER_OPTION_ID) throw new CommandError('your own words go with it: use --other "…" instead', EXIT.usage);
  return id;
}

/** Asks the person at the terminal. `signal` closes the prompt: then its reason is thrown. */
export async function promptedAnswer(ask: Ask, signal: AbortSignal): Promise<Answer> {
  const picked = await askChoice(ask.question, choicesOf(ask), signal);
  if (picked === DECLINE) {
    const fault = (reason: string) => faultOf(ask, { kind: 'decline', reason });
    const reason = await askText('Why? (may be left empty)', fault, signal);
    return reason === '' ? { kind: 'decline' } : { kind: 'decline', reason };
  }
  const answerOf = (typed: string): Answer =>
    ask.kind === 'free_form'
      ? { kind: 'free_form', text: typed }
      : { kind: 'multiple_choice', option_id: OTHER_OPTION_ID, other_text: typed };
  if (ask.kind === 'multiple_choice' && picked !== OTHER_OPTION_ID)
    return { kind: 'multiple_choice', option_id: picked };
  return answerOf(await askText('Your answer', (typed) => faultOf(ask, answerOf(typed)), signal));
}

const DECLINE = 'decline';
const WRITE = 'write';

function choicesOf({ options }: Ask): Choice[] {
  const own = (options ?? []).map(({ id, label }) =>
    id === OTHER_OPTION_ID ? { value: id, label, hint: 'write it yourself' } : { value: id, label },
  );
  const first = own.length > 0 ? own : [{ value: WRITE, label: 'Write an answer' }];
  return [...first, { value: DECLINE, label: 'Decline', hint: 'you will not answer this' }];
}

/** What the run would say against an answer; the same judge that it has. */
function faultOf(ask: Ask, answer: Answer): string | undefined {
  const verdict = judgeAnswer(ask, answer);
  return verdict.ok ? undefined : verdict.issues.map(({ message }) => safeLine(message)).join('; ');
}

/** An answer as it is told back. */
export function answerText(ask: Ask, answer: Answer): string {
  return chosenAnswer(ask, answer)?.answer ?? '';
}
