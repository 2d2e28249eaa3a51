/**
 * A question as plain text, and plain text as an answer to it: for doors through which a person types and picks nothing
 * (Agent Mission Control, CONTRACT §7).
 */
import { judgeAnswer, type AnswerRules, type AnswerVerdict } from './answer';
import { OTHER_OPTION_ID } from './ids';
import { LIMITS } from './limits';
import type { Question } from './question';
import { caseFolded, characters, comparableLabel, isBlank, isOtherLabel } from './text';

/** All that a person needs to answer: the question, its context, and each option's label on a line of its own. */
export function questionText({ question, context, options }: Question): string {
  const labels = (options ?? []).map(({ id, label }) =>
    id === OTHER_OPTION_ID ? `- ${label} (reply in your own words)` : `- ${label}`,
  );
  const parts = [question, context ?? '', labels.length > 0 ? ['Options:', ...labels].join('\n') : ''];
  return parts.filter((part) => !isBlank(part)).join('\n\n');
}

/**
 * Judges what a person typed as an answer to `question`. Never throws. Of a choice the text is the option whose label it
 * is, but for case, white space around it and trailing attachment lines; every other text is a write-in. It is never an
 * option that it might not mean: a text that fits two labels alike is a write-in too. What is no option reaches the agent
 * whole, attachment lines included: they are how it learns that there are files. Refused: a text that says nothing beside
 * attachment lines, one of more than 4,000 characters, and "Other" alone, since nobody knows what else is meant. `files`: names
 * of what is attached.
 */
export function judgeText(question: AnswerRules, message: string, files: readonly string[] = []): AnswerVerdict {
  const typed = withoutAttachmentLines(onOneLine(message, files));
  const kind = 'multiple_choice';
  // Whole first: a label may look like an attachment line.
  const option = optionOf(question, message) ?? optionOf(question, typed);
  if (option !== undefined) return judgedAsMessage(question, { kind, option_id: option });
  if (isBlank(typed)) return refused('blank', 'must not be blank: the answer is what the person writes');
  if (question.kind === 'free_form') return judgedAsMessage(question, { kind: 'free_form', text: message });
  if (characters(typed) <= LIMITS.label && isOtherLabel(typed)) {
    return refused('blank', '"Other" alone is no answer: write what it is instead');
  }
  return judgedAsMessage(question, { kind, option_id: OTHER_OPTION_ID, other_text: message });
}

/** The one option that a text names: by its label as it stands, else by the only label that is the same but for case. */
function optionOf(question: AnswerRules, text: string): string | undefined {
  // No label is as long; and trimming takes quadratic time, so nothing long is ever trimmed.
  if (characters(text) > LIMITS.answerText) return undefined;
  const options = (question.options ?? []).filter((option) => option.id !== OTHER_OPTION_ID);
  const shown = comparableLabel(text);
  const same = options.find((option) => comparableLabel(option.label) === shown);
  if (same) return same.id;
  const folded = caseFolded(shown);
  const alike = options.filter((option) => caseFolded(comparableLabel(option.label)) === folded);
  return alike.length === 1 ? alike[0]?.id : undefined;
}

const ATTACHED = '[Attached file: ';

/** A file's name may hold line feeds; its attachment line is to be one all the same. */
function onOneLine(message: string, files: readonly string[]): string {
  let text = message;
  for (const name of files) {
    if (name.includes('\n')) text = text.replaceAll(ATTACHED + name, ATTACHED + name.replaceAll('\n', ' '));
  }
  return text;
}

/** The text without the `[Attached file: name (kind, size)]` lines at its end, which its sender's platform put there. */
export function withoutAttachmentLines(message: string): string {
  const lines = message.split('\n');
  let end = lines.length;
  for (let at = end - 1; at >= 0; at -= 1) {
    const line = (lines[at] ?? '').trim();
    if (isAttachmentLine(line)) end = at;
    else if (line !== '') break;
  }
  return lines.slice(0, end).join('\n');
}

/** By hand: a pattern with three open ends in it takes far too long on a long line. A name may hold brackets itself. */
function isAttachmentLine(line: string): boolean {
  if (!line.startsWith(ATTACHED) || !line.endsWith(')]')) return false;
  const open = line.lastIndexOf(' (');
  return open > ATTACHED.length && line.slice(open, -2).includes(', ');
}

/** The verdict, told of the one field that there was. */
function judgedAsMessage(question: AnswerRules, answer: object): AnswerVerdict {
  const verdict = judgeAnswer(question, answer);
  if (verdict.ok) return verdict;
  return { ok: false, issues: verdict.issues.map((issue) => ({ ...issue, path: 'message' })) };
}

function refused(code: string, message: string): AnswerVerdict {
  return { ok: false, issues: [{ path: 'message', code, message }] };
}
