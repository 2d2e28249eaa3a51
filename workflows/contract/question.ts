/**
 * Building a question: what `ask_a_human` accepts, and what a person sees of it.
 * Rules: CONTRACT §2 and the seed "Asking a human".
 */
import { z } from 'zod';
import { askId as makeAskId, optionId, OTHER_OPTION_ID, OTHER_OPTION_LABEL } from './ids';
import { LIMITS } from './limits';
import { characters, comparableLabel, firstCharacters, isBlank, isOtherLabel, isWellFormed } from './text';

/** The shapes an ask can have. */
export const ASK_KINDS = ['multiple_choice', 'free_form'] as const;
export type AskKind = (typeof ASK_KINDS)[number];

export const optionSchema = z.strictObject({ id: z.string(), label: z.string() });
export type Option = z.infer<typeof optionSchema>;

/** The pending question as every reader sees it: the record's `pending_input_context`. */
export const questionSchema = z
  .strictObject({
    ask_id: z.string(),
    kind: z.enum(ASK_KINDS),
    question: z.string(),
    context: z.string().nullable(),
    options: z.array(optionSchema).nullable(),
    asked_at: z.string(),
    expires_at: z.string().nullable(),
    assignee: z.string().nullable(),
  })
  .meta({ id: 'Question', description: 'A question that waits for a person.' });
export type Question = z.infer<typeof questionSchema>;

/** What an agent passes to `ask_a_human`, once it has been judged. */
export interface AskArgs {
  kind: AskKind;
  question: string;
  context: string | null;
  /** The labels as supplied, without the caller's own Other; null for free form. */
  labels: string[] | null;
}

export type AskVerdict = { ok: true; ask: AskArgs } | { ok: false; message: string };

/**
 * Judges the arguments of `ask_a_human`. Never throws: a refusal is a message for the agent that says what to change.
 * Arguments come from a model, so nothing about their shape is taken for granted.
 */
export function judgeAskArgs(args: unknown): AskVerdict {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return refuse('the arguments must be an object with kind and question');
  }
  const given = args as Record<string, unknown>;
  const unknown = Object.keys(given).filter((key) => !['kind', 'question', 'options', 'context'].includes(key));
  if (unknown.length > 0) return refuse(`unknown argument: ${firstCharacters(unknown.slice(0, 3).join(', '), 200)}`);

  const kind = ASK_KINDS.find((known) => known === given.kind);
  if (!kind) return refuse('kind must be "multiple_choice" or "free_form"');

  const question = judgeText('question', given.question, LIMITS.question);
  if (!question.ok) return question;

  let context: string | null = null;
  if (given.context !== undefined && given.context !== null) {
    if (typeof given.context !== 'string') return refuse('context must be a string');
    if (given.context.length > 2 * LIMITS.context || characters(given.context) > LIMITS.context) {
      return refuse(`context must be at most ${LIMITS.context} characters`);
    }
    if (!isWellFormed(given.context)) return refuse('context holds a lone surrogate');
    context = given.context;
  }

  if (kind === 'free_form') {
    const none = given.options === undefined || given.options === null;
    if (!none && !(Array.isArray(given.options) && given.options.length === 0)) {
      return refuse('a free_form question takes no options: leave them out, or use multiple_choice');
    }
    return { ok: true, ask: { kind, question: question.text, context, labels: null } };
  }
  const labels = judgeLabels(given.options);
  if (!labels.ok) return labels;
  return { ok: true, ask: { kind, question: question.text, context, labels: labels.labels } };
}

type LabelsVerdict = { ok: true; labels: string[] } | { ok: false; message: string };

function judgeLabels(options: unknown): LabelsVerdict {
  if (!Array.isArray(options)) return refuse('multiple_choice needs options: 2 to 6 labels');
  const labels: string[] = [];
  const seen = new Set<string>();
  // Six real labels and an Other are fine; what is far above that is refused before it is walked through.
  if (options.length > 10 * LIMITS.maxOptions) return refuse(`options must be 2 to ${LIMITS.maxOptions} labels`);
  for (const [index, option] of options.entries()) {
    const label = judgeText(`options[${index}]`, option, LIMITS.label);
    if (!label.ok) return label;
    if (isOtherLabel(label.text)) continue;
    const comparable = comparableLabel(label.text);
    if (seen.has(comparable)) return refuse(`options[${index}] repeats a label: every option must be different`);
    seen.add(comparable);
    labels.push(label.text);
  }
  if (labels.length === 0) {
    return refuse('a question whose only option would be Other is not a choice: use free_form');
  }
  if (options.length < LIMITS.minOptions || labels.length > LIMITS.maxOptions) {
    return refuse(`options must be ${LIMITS.minOptions} to ${LIMITS.maxOptions} labels, "Other" is added to them`);
  }
  return { ok: true, labels };
}

type TextVerdict = { ok: true; text: string } | { ok: false; message: string };

function judgeText(name: string, value: unknown, max: number): TextVerdict {
  if (typeof value !== 'string') return refuse(`${name} must be a string`);
  if (value.length > 2 * max || characters(value) > max) return refuse(`${name} must be at most ${max} characters`);
  if (!isWellFormed(value)) return refuse(`${name} holds a lone surrogate`);
  if (isBlank(value)) return refuse(`${name} must not be blank`);
  return { ok: true, text: value };
}

function refuse(message: string): { ok: false; message: string } {
  return { ok: false, message };
}

/**
 * The question that people see, from judged arguments. `n` is the ask's number within its run, from 1; `askedAt` is
 * an ISO time. The platform's Other stands last, exactly once.
 */
export function buildQuestion(
  ask: AskArgs,
  facts: { n: number; askedAt: string; expiresAt?: string | null; assignee?: string | null },
): Question {
  const id = makeAskId(facts.n);
  return {
    ask_id: id,
    kind: ask.kind,
    question: ask.question,
    context: ask.context,
    options:
      ask.labels === null
        ? null
        : [
            ...ask.labels.map((label, index) => ({ id: optionId(id, index + 1), label })),
            { id: OTHER_OPTION_ID, label: OTHER_OPTION_LABEL },
          ],
    asked_at: facts.askedAt,
    expires_at: facts.expiresAt ?? null,
    assignee: facts.assignee ?? null,
  };
}
