/** `wait_for_run`: waits, and where the client can, lets its own user answer what is asked meanwhile. */
import { inputRequired } from '@modelcontextprotocol/server';
import { isHeldByAnother, type ContractIssue } from '../../workflows/contract';
import type { McpDoor, PendingQuestion } from './door';
import { answerOf, formOf, messageOf, returnedForm, writeFormKey, type ReturnedForm } from './elicitation';
import type { WaitArguments } from './schemas';
import { runText } from './texts';
import type { ToolCall, ToolReply } from './tool';
import { waitForRun, type RunView, type Waited } from './waiting';

/** Forms that one call may lead to. Clients give up on a call after 8 to 10; the next call goes on. */
const MAX_ROUNDS = 6;
const PROGRESS_MS = 5_000;

/** What became of a form that came back. */
interface Taken {
  /** For the model, or above the next form. */
  note?: string;
  /** False when the user is to be left alone for the rest of this call. */
  askOn: boolean;
}

export async function waitTool(door: McpDoor, args: WaitArguments, call: ToolCall): Promise<ToolReply> {
  const returned = returnedForm(call.inputResponses);
  const taken: Taken = returned ? await takeForm(door, args.run_id, returned) : { askOn: true };
  const { run, waited } = await waitWithProgress(door, args, call);
  const [question] = run.pending_questions;
  const round = (returned?.form.round ?? 0) + 1;
  const mayAsk = taken.askOn && args.ask_user && call.canAskUser && door.may('answer') && round <= MAX_ROUNDS;
  // Theirs to answer who has claimed it: a form would be filled in for nothing.
  if (question && mayAsk && !(question.claim && isHeldByAnother(question.claim, await door.caller())))
    return { askUser: formFor(question, run, round, call, taken.note) };
  return { text: runText(run, [taken.note, WAITED[waited]]), structured: { ...run, waited } };
}

const WAITED: Record<Waited, string | undefined> = {
  ended: undefined,
  needs_answer: undefined,
  timed_out: 'The time to wait is up. Call wait_for_run again to wait on.',
};

function formFor(question: PendingQuestion, run: RunView, round: number, call: ToolCall, note: string | undefined) {
  const { run_id: runId, ask_id: askId, kind } = question;
  const asker = runId === run.run_id ? run.agent : `${run.agent}, by way of a sub-agent`;
  const form = inputRequired.elicit({
    message: messageOf(question, asker, note),
    requestedSchema: formOf(question, call.protocolVersion),
  });
  return inputRequired({ inputRequests: { [writeFormKey({ runId, askId, kind, round })]: form } });
}

/**
 * Gives the run what the user has said. What the question refuses, or what comes too late, is a note: the user may be asked
 * again. Every other refusal is thrown.
 */
async function takeForm(door: McpDoor, runId: string, { form, action, content }: ReturnedForm): Promise<Taken> {
  if (!(await isOneConversation(door, runId, form.runId))) {
    return { note: `That form is of no question of ${runId}: nothing was answered.`, askOn: true };
  }
  if (action === 'cancel') {
    return { note: 'Your user put the question away without an answer. It is still open.', askOn: false };
  }
  const input = action === 'decline' ? { kind: 'decline' } : answerOf(form.kind, content);
  try {
    const { queued } = await door.answer(form.runId, { input, ask_id: form.askId, given_by: 'human' });
    if (!queued)
      return {
        note: `Your user has ${action === 'decline' ? 'declined to answer' : 'answered'} ${form.askId}.`,
        askOn: true,
      };
    // It is still shown as open until a worker is up: asking again would be asking twice.
    return { note: 'Your user’s answer is kept, and is judged when a worker is up again.', askOn: false };
  } catch (error) {
    const told = door.told(error);
    switch (told?.error) {
      case 'invalid_input':
        return { note: `That answer could not be taken: ${reasons(told.issues, told.message)}.`, askOn: true };
      case 'run_not_waiting':
      case 'ask_mismatch':
        return { note: `The answer to ${form.askId} came too late: the question was closed meanwhile.`, askOn: true };
      case 'claimed':
        return { note: `The answer to ${form.askId} was not taken: ${told.message}.`, askOn: false };
      default:
        throw error;
    }
  }
}

/** The name of a form is the client's to send: it may name any run. */
async function isOneConversation(door: McpDoor, ...runIds: [string, string]): Promise<boolean> {
  if (runIds[0] === runIds[1]) return true;
  const [one, other] = await Promise.all(runIds.map((runId) => door.read(runId)));
  return one?.root_run_id === other?.root_run_id;
}

function reasons(issues: readonly ContractIssue[] | undefined, otherwise: string): string {
  if (!issues || issues.length === 0) return otherwise;
  return issues.map(({ path, message }) => inForm(path.split('.').at(-1) ?? '', message)).join('; ');
}

/** A fault of an answer as a fault of the form, whose choice the answer has as `option_id`. */
function inForm(field: string, message: string): string {
  return field === 'option_id' ? 'choice must be one of the options' : `${field} ${message}`;
}

async function waitWithProgress(door: McpDoor, { run_id, timeout_seconds }: WaitArguments, call: ToolCall) {
  const begun = Date.now();
  const tell = () => call.progress((Date.now() - begun) / 1_000, timeout_seconds, `waiting for ${run_id}`);
  tell();
  const timer = setInterval(tell, PROGRESS_MS);
  try {
    return await waitForRun(door, run_id, timeout_seconds * 1_000, call.signal);
  } finally {
    clearInterval(timer);
  }
}
