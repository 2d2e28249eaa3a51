/** The tools, one definition for both transports. */
import { startRunSchema } from '../../workflows/contract';
import * as schemas from './schemas';
import { agentsText, questionsText, runText } from './texts';
import { parsed, tool, type Tool } from './tool';
import { waitTool } from './wait-tool';
import { readView, viewOf, type RunView } from './waiting';

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'list_agents',
    title: 'List agents',
    description: 'Lists the agents that start_run can start, each with the JSON Schema of its input.',
    annotations: reads,
    scope: 'read',
    input: schemas.listAgentsInput,
    output: schemas.agentsOutput,
    run: async (door) => {
      const agents = await door.agents();
      return { text: agentsText(agents), structured: { agents } };
    },
  }),
  tool({
    name: 'start_run',
    title: 'Start a run',
    description:
      'Starts a run of an agent and returns at once with its run_id. Then call wait_for_run: the run may pause on a ' +
      'question for a person.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    scope: 'start',
    input: schemas.startRunInput,
    output: schemas.runOutput,
    run: async (door, { idempotency_key, ...body }) =>
      shown(await viewOf(door, await door.start(parsed(startRunSchema, body), idempotency_key))),
  }),
  tool({
    name: 'get_run',
    title: 'Read a run',
    description:
      'Reads a run as it is now: its status, its result or error, and every question that it or a sub-agent of it waits ' +
      'for, with the options and how to answer.',
    annotations: reads,
    scope: 'read',
    input: schemas.getRunInput,
    output: schemas.runOutput,
    run: async (door, { run_id }) => shown(await readView(door, run_id)),
  }),
  tool({
    name: 'wait_for_run',
    title: 'Wait for a run',
    description:
      'Waits until a run has ended or needs an answer, or until timeout_seconds is up; then call it again. Where your ' +
      'client can ask its user, it does, and the user’s answer goes to the run; otherwise the question is returned.',
    // The user's answer, if one is given on the way, is a change.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    scope: 'read',
    input: schemas.waitForRunInput,
    output: schemas.waitOutput,
    run: waitTool,
  }),
  tool({
    name: 'list_pending_questions',
    title: 'List pending questions',
    description:
      'Lists questions that wait for a person, oldest first: of all runs that you may see, or of one run and its ' +
      'sub-agents. Each with its options and how to answer.',
    annotations: reads,
    scope: 'read',
    input: schemas.listQuestionsInput,
    output: schemas.questionsOutput,
    run: async (door, { run_id, ...filter }) => {
      const asks = run_id === undefined ? null : await door.questions(run_id);
      const page = asks ? { asks, count: asks.length, next_cursor: null } : await door.inbox(filter);
      const structured = { questions: page.asks, count: page.count, next_cursor: page.next_cursor };
      return { text: questionsText(page), structured };
    },
  }),
  tool({
    name: 'resume_run',
    title: 'Answer a question',
    description:
      'Answers the question that a run waits for, and the run goes on. The question is meant for a person: relay it to ' +
      'your user and pass on their words (answered_by "user"), or answer it yourself (answered_by "model") only if you ' +
      'know the answer for certain, and never for the approval of a tool, which is a person’s alone. An answer that does ' +
      'not fit is an error that says why; the run waits on.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    scope: 'answer',
    input: schemas.resumeRunInput,
    output: schemas.resumeOutput,
    run: async (door, { run_id, input, ask_id, answered_by, idempotency_key }) => {
      const given_by = answered_by === 'user' ? 'human' : 'model';
      const given = { input, ask_id, given_by, idempotencyKey: idempotency_key } as const;
      const { record, queued } = await door.answer(run_id, given);
      const run = await viewOf(door, record);
      const note = queued
        ? 'The answer is kept, and is judged when a worker is up again: until then the question shows as open. Do not answer it again.'
        : 'The answer was taken.';
      // Nobody is to be told how to answer what has its answer.
      const others = run.pending_questions.filter((question) => !queued || question.run_id !== run_id);
      return {
        text: runText({ ...run, pending_questions: others }, [note]),
        structured: { ...run, answer: queued ? 'queued' : 'taken' },
      };
    },
  }),
  tool({
    name: 'cancel_run',
    title: 'Cancel a run',
    description:
      'Cancels a run and its sub-agents for good; its questions are withdrawn. A run that has ended stays as it is.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    scope: 'cancel',
    input: schemas.cancelRunInput,
    output: schemas.runOutput,
    run: async (door, { run_id }) => shown(await viewOf(door, await door.cancel(run_id))),
  }),
];

function shown(run: RunView) {
  return { text: runText(run), structured: { ...run } };
}
