/**
 * The approval gate: a tool call that a person has to approve is put to them as a multiple-choice ask, and their answer
 * read as a decision. The same ask as any other, so every door, rule and record of asks is the gate's too.
 */
import type { ContractIssue } from './errors';
import type { GivenBy } from './events';
import type { Json, JsonObject } from './json';
import { LIMITS } from './limits';
import { characters, firstCharacters, trimText } from './text';
import { toolError, type AskResult, type ToolError } from './tool-results';

export const APPROVE_LABEL = 'Approve';
export const REJECT_LABEL = 'Reject';

/** Code of the issue that says so when a model has answered what only a person may. */
export const PERSON_NEEDED = 'person_needed';

/**
 * What stands against an answer to an approval because of who gave it; null when nothing does. Nobody's judgement may
 * approve on a person's behalf: what a model says of itself is refused, a rejection or a decline too, and the ask stays
 * open for a person.
 */
export function approverIssue(isApproval: boolean, givenBy: GivenBy | undefined): ContractIssue | null {
  if (!isApproval || givenBy !== 'model') return null;
  const message =
    'a person has to decide this, no model may: put it to your user and pass on what they say, as their answer ' +
    '(answered_by "user" over MCP, Holdpoint-Given-By: human over HTTP)';
  return { path: 'given_by', code: PERSON_NEEDED, message };
}

/** What a person decided about a call. `edited` carries the arguments that they wrote in place of the agent's. */
export type ApprovalDecision =
  { kind: 'approved' } | { kind: 'edited'; args: JsonObject } | { kind: 'refused'; error: ToolError };

export interface ApprovalRequest {
  agent: string;
  tool: string;
  description: string;
  args: Json;
  /** What was wrong with the arguments that a person wrote before, null when they wrote none. */
  problem: string | null;
}

/** Arguments of `ask_a_human` that put a call to a person. They fit its limits whatever the call holds. */
export function approvalAsk(request: ApprovalRequest): JsonObject {
  return {
    kind: 'multiple_choice',
    question: `May ${oneLine(request.agent, 200)} run the tool ${oneLine(request.tool, 100)} with these arguments?`,
    options: [APPROVE_LABEL, REJECT_LABEL],
    context: approvalContext(request),
  };
}

const MAX_DESCRIPTION = 1_000;
/** Characters that everything but the arguments may take, generously. */
const AROUND = 4_500;

function approvalContext({ tool, description, args, problem }: ApprovalRequest): string {
  const wrong =
    problem === null ? [] : ['**Your arguments do not fit the tool:**', quoted(firstCharacters(problem, 1_000)), ''];
  const shown = argumentsBlock(args, LIMITS.context - AROUND);
  return wellFormed(
    [
      ...wrong,
      `Tool \`${oneLine(tool, 100)}\``,
      quoted(firstCharacters(description, MAX_DESCRIPTION)),
      '',
      'Arguments:',
      '',
      shown,
      '',
      `**${APPROVE_LABEL}** runs it with exactly these. **${REJECT_LABEL}** does not run it. Under **Other**, write other ` +
        'arguments as a JSON object to run it with those, or anything else as the reason why it must not run.',
    ].join('\n'),
  );
}

/** The arguments as a block of code, cut when they are long. The fence is longer than any in them, so nothing breaks out. */
function argumentsBlock(args: Json, maxCharacters: number): string {
  const text = JSON.stringify(args, null, 2);
  const length = characters(text);
  const shown = length <= maxCharacters ? text : `${firstCharacters(text, maxCharacters)}…`;
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  // A text of nothing but backticks must not make the fences themselves too long.
  const fence = '`'.repeat(Math.min(Math.max(3, longest + 1), 500));
  const safe = longest >= 500 ? shown.replace(/`/g, "'") : shown;
  const note = length <= maxCharacters ? [] : ['', `These are the first ${maxCharacters} of ${length} characters.`];
  return [`${fence}json`, safe, fence, ...note].join('\n');
}

/** What an ask's result says about the call that it was opened for. Whatever is no clear yes is a no. */
export function approvalDecision(result: AskResult): ApprovalDecision {
  // An answer that a policy gave is nobody's: it may not approve on a person's behalf.
  const unconfirmed = 'human_confirmed' in result && result.human_confirmed === false;
  if ('answer' in result && !unconfirmed) return decisionOf(result.answer, result.option_id === 'other');
  if ('error' in result && result.error === 'no_human_in_loop') {
    return refused('no_human_in_loop', 'this tool needs a person’s approval and nobody is there: go on without it');
  }
  if ('skipped' in result && result.reason === 'on_question_auto') {
    return refused(
      'on_question_auto',
      'this tool needs a person’s approval and this run asks nobody: go on without it',
    );
  }
  if ('skipped' in result && result.reason === 'human_declined') {
    return refused(
      'approval_rejected',
      ('message' in result && result.message) || 'the person declined to decide: it did not run',
    );
  }
  return refused('approval_rejected', 'nobody approved it: it did not run');
}

function decisionOf(answer: string, isWriteIn: boolean): ApprovalDecision {
  // Who writes "approve" under Other means the option, as with any ask whose answer is matched to a label.
  const said = trimText(answer).toLowerCase();
  if (said === APPROVE_LABEL.toLowerCase()) return { kind: 'approved' };
  if (said === REJECT_LABEL.toLowerCase()) return refused('approval_rejected', 'a person rejected it: it did not run');
  const args = isWriteIn ? objectIn(answer) : null;
  return args ? { kind: 'edited', args } : refused('approval_rejected', answer);
}

/** A JSON object, bare or in a code fence. */
function objectIn(text: string): JsonObject | null {
  const bare = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(trimText(text))?.[1] ?? text;
  try {
    const value = JSON.parse(bare) as Json;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function refused(code: string, message: string): ApprovalDecision {
  return { kind: 'refused', error: toolError(code, message) };
}

function oneLine(text: string, max: number): string {
  return firstCharacters(wellFormed(text).replace(/[\s`]+/g, ' '), max);
}

function quoted(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join('\n');
}

function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd');
}
