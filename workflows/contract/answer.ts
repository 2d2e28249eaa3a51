/**
 * Answers: which bodies a question takes, and what the agent gets of them.
 * Rules: CONTRACT §2 and the seed "Asking a human", Answering.
 *
 * One zod schema per question judges every answer, wherever it comes from, and is also what `pending_input_schema`
 * is printed from; so the two agree on every body.
 */
import { z } from 'zod';
import { approverIssue } from './approvals';
import type { ContractIssue } from './errors';
import type { GivenBy } from './events';
import { OTHER_OPTION_ID } from './ids';
import { LIMITS } from './limits';
import type { Question } from './question';
import { blankText, firstCharacters, isBlank, looseText, trimText, visibleText } from './text';

export type Answer =
  | { kind: 'multiple_choice'; option_id: string; other_text?: string | null }
  | { kind: 'free_form'; text: string }
  | { kind: 'decline'; reason?: string };

/** Accepted for every question: the person will not answer it. */
export const declineSchema = z.strictObject({
  kind: z.literal('decline'),
  reason: looseText(LIMITS.answerText).optional(),
});

export const freeFormAnswerSchema = z.strictObject({
  kind: z.literal('free_form'),
  text: visibleText(LIMITS.answerText),
});

const writeInSchema = z.strictObject({
  kind: z.literal('multiple_choice'),
  option_id: z.literal(OTHER_OPTION_ID),
  other_text: visibleText(LIMITS.answerText),
});

/** Only what the question's shape and options decide; `Question` itself fits. */
export type AnswerRules = Pick<Question, 'kind' | 'options'>;

interface AnswerBranches {
  decline: typeof declineSchema;
  freeForm?: typeof freeFormAnswerSchema;
  writeIn?: typeof writeInSchema;
  option?: z.ZodType<Answer>;
  optionIds: string[];
}

function branchesOf(question: AnswerRules): AnswerBranches {
  if (question.kind === 'free_form') {
    return { decline: declineSchema, freeForm: freeFormAnswerSchema, optionIds: [] };
  }
  const optionIds = (question.options ?? []).map((option) => option.id).filter((id) => id !== OTHER_OPTION_ID);
  return {
    decline: declineSchema,
    writeIn: writeInSchema,
    option: z.strictObject({
      kind: z.literal('multiple_choice'),
      option_id: z.enum(optionIds),
      other_text: blankText(LIMITS.answerText).nullable().optional(),
    }),
    optionIds,
  };
}

/** The zod schema of every body that answers `question`. The branches exclude one another. */
export function answerSchema(question: AnswerRules): z.ZodType<Answer> {
  const { option, writeIn, freeForm, decline } = branchesOf(question);
  const branches = [option, writeIn, freeForm, decline].filter((branch) => branch !== undefined);
  return z.union(branches as [z.ZodType<Answer>, z.ZodType<Answer>]);
}

/** `pending_input_schema`: JSON Schema 2020-12, printed from `answerSchema`. Patterns need Unicode mode. */
export function pendingInputSchema(question: AnswerRules): Record<string, unknown> {
  return z.toJSONSchema(answerSchema(question), { target: 'draft-2020-12' });
}

export type AnswerVerdict = { ok: true; answer: Answer } | { ok: false; issues: ContractIssue[] };

/** What besides the body decides: whether the ask is an approval, and who answers, where the door can tell. */
export interface AnswerCircumstances {
  approval?: boolean | undefined;
  given_by?: GivenBy | undefined;
}

/**
 * Judges a body as an answer to `question`. Never throws. A body is refused or taken exactly as
 * `pendingInputSchema(question)` says; the issues name the field at fault, not a union's branches. An approval takes no
 * answer of a model, whatever the body.
 */
export function judgeAnswer(
  question: AnswerRules,
  body: unknown,
  { approval = false, given_by }: AnswerCircumstances = {},
): AnswerVerdict {
  const issue = approverIssue(approval, given_by);
  if (issue) return { ok: false, issues: [issue] };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refused('', 'invalid_type', 'an answer is an object with a kind');
  }
  const branches = branchesOf(question);
  const kind: unknown = Object.hasOwn(body, 'kind') ? (body as { kind?: unknown }).kind : undefined;
  if (kind === 'decline') return judgeBy(branches.decline, body);
  if (kind !== question.kind) {
    return refused('kind', 'invalid_value', `kind must be "${question.kind}" for this question, or "decline"`);
  }
  if (branches.freeForm) return judgeBy(branches.freeForm, body);

  const chosen: unknown = Object.hasOwn(body, 'option_id') ? (body as { option_id?: unknown }).option_id : undefined;
  if (chosen === OTHER_OPTION_ID) return judgeBy(branches.writeIn, body);
  if (typeof chosen !== 'string' || !branches.optionIds.includes(chosen)) {
    const known = [...branches.optionIds, OTHER_OPTION_ID].join(', ');
    return refused('option_id', 'invalid_value', `option_id must be one of this question's: ${known}`);
  }
  return judgeBy(branches.option, body);
}

function judgeBy(schema: z.ZodType<Answer> | undefined, body: unknown): AnswerVerdict {
  if (!schema) return refused('', 'invalid_value', 'this question does not take such an answer');
  const parsed = schema.safeParse(body);
  if (parsed.success) return { ok: true, answer: parsed.data };
  return { ok: false, issues: parsed.error.issues.map(contractIssue) };
}

function refused(path: string, code: string, message: string): AnswerVerdict {
  return { ok: false, issues: [{ path, code, message }] };
}

/** A zod issue in the wire's form: a dotted path, a code, and a message without the value at fault. */
export function contractIssue(issue: z.core.$ZodIssue): ContractIssue {
  const rule: unknown = issue.code === 'custom' ? issue.params?.rule : undefined;
  let message = issue.message;
  if (issue.code === 'unrecognized_keys') {
    message = `unknown field: ${firstCharacters(issue.keys.slice(0, 5).join(', '), 200)}`;
  }
  return { path: issue.path.map(String).join('.'), code: typeof rule === 'string' ? rule : issue.code, message };
}

/** What was chosen, without the form it was sent in: kept with the ask and shown in `ask.answered`. */
export interface ChosenAnswer {
  answer: string;
  /** Multiple choice only. */
  option_id?: string;
}

/**
 * The value an answer carries to the agent (CONTRACT §2): the chosen label, or the text without outer white space.
 * For an answer that `judgeAnswer` took; a decline has none.
 */
export function chosenAnswer(question: AnswerRules, answer: Answer): ChosenAnswer | null {
  if (answer.kind === 'decline') return null;
  if (answer.kind === 'free_form') return { answer: trimText(answer.text) };
  if (answer.option_id === OTHER_OPTION_ID) {
    return { answer: trimText(answer.other_text ?? ''), option_id: OTHER_OPTION_ID };
  }
  const option = question.options?.find((candidate) => candidate.id === answer.option_id);
  return { answer: option?.label ?? '', option_id: answer.option_id };
}

/** A decline's reason as the agent gets it; null when there is none worth showing. */
export function declineMessage(answer: Extract<Answer, { kind: 'decline' }>): string | null {
  return answer.reason === undefined || isBlank(answer.reason) ? null : trimText(answer.reason);
}
