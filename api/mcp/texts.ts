/** What a model reads of agents, runs and questions: plain, and with what to do next. */
import { firstCharacters, OTHER_OPTION_ID, type Definition } from '../../workflows/contract';
import type { PendingQuestion, QuestionPage } from './door';
import type { RunView } from './waiting';

/** Characters of a result that are shown as text; the structured content has all of it. */
const SHOWN_RESULT = 20_000;

export function agentsText(agents: readonly Definition[]): string {
  if (agents.length === 0) return 'No agent can be started here.';
  const lines = agents.map(
    ({ name, description, input_schema }) =>
      `- ${name}: ${description}\n  input_schema: ${JSON.stringify(input_schema)}`,
  );
  return `Agents that start_run can start:\n${lines.join('\n')}`;
}

export function runText(run: RunView, notes: readonly (string | undefined)[] = []): string {
  return sections([...notes, stateOf(run), ...questionSections(run.pending_questions)]);
}

export function questionsText({ asks, count, next_cursor }: QuestionPage): string {
  if (asks.length === 0) return 'No question is waiting for an answer.';
  const shown =
    next_cursor === null ? '' : ` The first ${asks.length} are here; the next page: cursor "${next_cursor}".`;
  return sections([
    `${count} ${count === 1 ? 'question waits' : 'questions wait'}.${shown}`,
    ...questionSections(asks),
  ]);
}

function stateOf(run: RunView): string {
  const it = `Run ${run.run_id} (agent ${run.agent})`;
  switch (run.status) {
    case 'completed':
      return `${it} has completed. Its result:\n${shortened(JSON.stringify(run.result))}`;
    case 'failed':
      return `${it} has failed: ${run.error?.code ?? 'failed'}: ${run.error?.message ?? ''}`;
    case 'cancelled':
      return `${it} was cancelled.`;
    case 'awaiting_input':
      return `${it} is paused: it waits for an answer (status awaiting_input).`;
    case 'running':
      return run.pending_questions.length > 0
        ? `${it} is running; a sub-agent of it is paused and waits for an answer.`
        : `${it} is running. Nothing is asked of anyone now: wait_for_run waits until it has ended or asks something.`;
  }
}

function questionSections(questions: readonly PendingQuestion[]): string[] {
  if (questions.length === 0) return [];
  return [...questions.map(questionText), RELAY];
}

const RELAY =
  'These questions are meant for a person. Unless you know the answer for certain, relay the question and its options to ' +
  'your user, word for word, and pass on what they say with answered_by "user". Do not guess for them.';

function questionText(question: PendingQuestion): string {
  const { run_id, ask_id, context, options, expires_at, claim } = question;
  const choices = (options ?? []).map(
    ({ id, label }) => `- ${id}: ${label}${id === OTHER_OPTION_ID ? ' (their own words, in other_text)' : ''}`,
  );
  return [
    `Question ${ask_id} of run ${run_id}${expires_at === null ? '' : ` (until ${expires_at})`}:`,
    question.question,
    ...(context === null ? [] : ['Context:', context]),
    ...(options === null ? [] : ['Options:', ...choices]),
    ...(claim === null
      ? []
      : [`Claimed by ${claim.by} until ${claim.until}: until then nobody else's answer is taken.`]),
    'To answer, call resume_run with',
    ...answersTo(question).map((input) => `  ${JSON.stringify({ run_id, ask_id, input })}`),
  ].join('\n');
}

/** One call for each kind of answer that the question takes. */
function answersTo({ kind, options }: PendingQuestion): object[] {
  const declined = { kind: 'decline', reason: 'why, or leave it out' };
  if (kind === 'free_form') return [{ kind, text: 'the answer' }, declined];
  const option_id = options?.[0]?.id;
  return [{ kind, option_id }, { kind, option_id: OTHER_OPTION_ID, other_text: 'their own words' }, declined];
}

function shortened(text: string): string {
  const shown = firstCharacters(text, SHOWN_RESULT);
  return shown.length === text.length ? text : `${shown}… (cut; all of it is in the structured content)`;
}

function sections(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}
