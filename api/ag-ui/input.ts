/** `RunAgentInput`, the body of AG-UI, as what it means here. */
import type { Message, UserMessage } from '@ag-ui/core';
import { RunAgentInputSchema } from '@ag-ui/core/schemas';
import type { z } from 'zod';
import { contractIssue, startRunSchema, type ContractIssue, type StartRun } from '../../workflows/contract';
import { ApiError } from '../errors';
import { isOwnMessageId } from './ids';

/** The body of the call. What the protocol does not know is let pass, as it says. */
export const runAgentInput = RunAgentInputSchema;
export type RunAgentInput = z.output<typeof runAgentInput>;

/** The key of the shared state that is the run's; every other key is the application's. */
export const STATE_KEY = 'holdpoint';

/** What `forwardedProps` may say about a run that starts, besides its `input`: on_question, assignee, … */
const START_OPTIONS = Object.keys(startRunSchema.shape).filter((key) => !['agent', 'input', 'run_id'].includes(key));

/** The start of a run that a new thread asks for. Throws `invalid_input`, which names the fields of AG-UI's body. */
export function startOf(agent: string, input: RunAgentInput): StartRun {
  const forwarded = asObject(input.forwardedProps) ?? {};
  const options = START_OPTIONS.filter((key) => Object.hasOwn(forwarded, key)).map((key) => [key, forwarded[key]]);
  const body: unknown = { ...Object.fromEntries(options), agent, run_id: input.threadId, input: inputOf(input) };
  const parsed = startRunSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(contractIssue).map(withOwnPath);
  throw new ApiError('invalid_input', 'this does not start a run: see issues', issues);
}

/**
 * What the agent gets: `forwardedProps.input` as it is, else the text of the last user message (with the context behind
 * it, when there is some), else the state, else null. The agent's own schema judges it.
 */
function inputOf(input: RunAgentInput): unknown {
  const forwarded = asObject(input.forwardedProps);
  if (forwarded && Object.hasOwn(forwarded, 'input')) return forwarded.input;
  const message = input.messages.findLast((candidate): candidate is UserMessage => candidate.role === 'user');
  const text = message ? textOf(message) : '';
  if (text !== '') return text + contextOf(input);
  const { [STATE_KEY]: _own, ...state } = asObject(input.state) ?? {};
  return Object.keys(state).length > 0 ? state : null;
}

function textOf({ content }: UserMessage): string {
  if (typeof content === 'string') return content;
  // Parts that no agent here can use are left out, as the protocol wants it.
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function contextOf({ context }: RunAgentInput): string {
  if (context.length === 0) return '';
  return `\n\nContext:\n${context.map(({ description, value }) => `- ${description}: ${value}`).join('\n')}`;
}

function withOwnPath(issue: ContractIssue): ContractIssue {
  const [first = '', ...rest] = issue.path.split('.');
  if (first === 'agent' || first === 'input') return issue;
  return { ...issue, path: first === 'run_id' ? 'threadId' : ['forwardedProps', first, ...rest].join('.') };
}

/** True when a person has said something after the last message that came from here. */
export function hasNewUserMessage(messages: readonly Message[]): boolean {
  const last = messages.findLastIndex(({ id }) => isOwnMessageId(id));
  return last >= 0 && messages.slice(last + 1).some(({ role }) => role === 'user');
}

/** A JSON object, or undefined. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
