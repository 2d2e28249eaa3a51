/**
 * Asking the client's own user: the form in which MCP clients show a question (flat, of primitive fields), and the answer
 * that the run is sent. Nothing is judged here: the run's own schema does that, wherever an answer comes from.
 */
import { inputResponse, type ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { LIMITS, OTHER_OPTION_ID, type AskKind } from '../../workflows/contract';
import type { PendingQuestion } from './door';

/** From this revision on a choice has titles of its own; before, they stood beside it. */
const TITLED_CHOICES = '2025-11-25';

type Form = ElicitRequestFormParams['requestedSchema'];

/** `protocolVersion`: what the client speaks; undefined is taken for the newest. */
export function formOf(question: PendingQuestion, protocolVersion: string | undefined): Form {
  if (question.kind === 'free_form') {
    const text = { type: 'string', title: 'Your answer', minLength: 1, maxLength: LIMITS.answerText } as const;
    return { type: 'object', properties: { text }, required: ['text'] };
  }
  const options = (question.options ?? []).map(({ id, label }) => ({
    const: id,
    title: id === OTHER_OPTION_ID ? `${label} (write it below)` : label,
  }));
  const titled = protocolVersion === undefined || protocolVersion >= TITLED_CHOICES;
  const choices = titled
    ? { oneOf: options }
    : { enum: options.map((option) => option.const), enumNames: options.map(({ title }) => title) };
  return {
    type: 'object',
    properties: {
      choice: { type: 'string', title: 'Your answer', ...choices },
      other_text: {
        type: 'string',
        title: 'Other',
        description: 'Your own answer, if you chose Other. Else leave it empty.',
        maxLength: LIMITS.answerText,
      },
    },
    required: ['choice'],
  };
}

/** The answer that a filled-in form stands for. A field that was left out was left empty. */
export function answerOf(kind: AskKind, content: Record<string, unknown>): object {
  const { choice, other_text, text = '' } = content;
  if (kind === 'free_form') return { kind, text };
  return { kind, option_id: choice, other_text: other_text ?? '' };
}

/** What the user is shown above the form. */
export function messageOf(question: PendingQuestion, agent: string, note: string | undefined): string {
  const asker = `The agent “${agent}” asks:`;
  const parts = [
    note,
    asker,
    question.question,
    question.context,
    'If you decline, the agent goes on without an answer.',
  ];
  return parts.filter((part) => part !== undefined && part !== null && part !== '').join('\n\n');
}

/** Which question a form is for. It travels as the form's key, so that any process can take the answer. */
export interface FormKey {
  runId: string;
  askId: string;
  kind: AskKind;
  /** Forms that this call has led to so far, this one included. */
  round: number;
}

export function writeFormKey({ runId, askId, kind, round }: FormKey): string {
  return [runId, askId, kind, round].join('/');
}

function readFormKey(key: string): FormKey | null {
  const found = /^([A-Za-z0-9_-]{1,64})\/(q\d{1,9})\/(multiple_choice|free_form)\/(\d{1,3})$/.exec(key);
  if (!found) return null;
  const [, runId = '', askId = '', kind, round] = found;
  return { runId, askId, kind: kind as AskKind, round: Number(round) };
}

/** A form that came back: filled in, or put away in one of two ways. */
export interface ReturnedForm {
  form: FormKey;
  action: 'accept' | 'decline' | 'cancel';
  content: Record<string, unknown>;
}

/** The form that came back with a call, if one did. It comes from the client: it may hold anything. */
export function returnedForm(responses: Record<string, unknown> | undefined): ReturnedForm | null {
  for (const key of Object.keys(responses ?? {})) {
    const form = readFormKey(key);
    const view = inputResponse(responses, key);
    if (form && view.kind === 'elicit') return { form, action: view.action, content: view.content ?? {} };
  }
  return null;
}
