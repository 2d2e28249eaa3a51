/** `resume` of AG-UI: every entry is judged before any is sent, and each goes where every answer goes. */
import type { ResumeEntry } from '@ag-ui/core';
import { isHeldByAnother, judgeAnswer, type ContractIssue } from '../../workflows/contract';
import { ApiError, claimedByAnother, runNotFound } from '../errors';
import type { Principal } from '../keys';
import { claimOn, type FoundRun } from '../service/lookup';
import { mapInParallel } from '../service/parallel';
import type { RunService } from '../service/runs';
import { readInterruptId } from './ids';

interface Answer {
  entry: ResumeEntry;
  /** Its place in the request, for issues. */
  index: number;
  run: FoundRun;
  askId: string;
  input: unknown;
}

export interface ResumeRequest {
  /** The AG-UI run: a request that is sent twice with it is one request. */
  runId: string;
  resume: readonly ResumeEntry[];
}

/**
 * Answers the interrupts of the conversation below `root`; returns the ids of those that were taken. A `cancelled` entry
 * declines; for an ask that is closed already it is nothing to do, or a thread could never get past an interrupt that
 * was answered elsewhere. Throws the error of an answer that is not taken: nothing was sent then, unless another answer
 * came in between, which the message says.
 */
export async function answerAll(
  service: RunService,
  principal: Principal,
  root: FoundRun,
  request: ResumeRequest,
): Promise<string[]> {
  const { open, closed } = await judgedTogether(service, principal, root, request.resume).catch((error: unknown) => {
    service.countRefused('ag_ui', error, request.resume.length);
    throw error;
  });
  const send = (answer: Answer) => sendAnswer(service, principal, request.runId, answer);
  for (const answer of closed) {
    if (answer.entry.status === 'cancelled' && (await isClosedAsk(service, principal, answer))) continue;
    await send(answer);
  }
  const failures: unknown[] = [];
  await mapInParallel(open, (answer) => send(answer).catch((error: unknown) => failures.push(error)));
  if (failures.length > 0) throw withCount(failures[0], open.length - failures.length);
  return open.map(({ entry }) => entry.interruptId);
}

/** The answers to asks that are open, and to others. Throws when one of the first cannot be taken: then none is sent. */
async function judgedTogether(
  service: RunService,
  principal: Principal,
  root: FoundRun,
  resume: readonly ResumeEntry[],
): Promise<{ open: Answer[]; closed: Answer[] }> {
  checkIds(resume);
  const answers = await mapInParallel([...resume.entries()], ([index, entry]) =>
    answerOf(service, principal, root, { entry, index }),
  );
  const open = answers.filter(({ run, askId }) => !run.closed && run.snapshot.pending?.ask_id === askId);
  judge(principal, open);
  return { open, closed: answers.filter((answer) => !open.includes(answer)) };
}

function checkIds(resume: readonly ResumeEntry[]): void {
  const issues: ContractIssue[] = [];
  for (const [index, { interruptId }] of resume.entries()) {
    const path = `resume.${index}.interruptId`;
    if (!readInterruptId(interruptId)) {
      issues.push({ path, code: 'unknown_interrupt', message: 'is no interrupt of this thread' });
    } else if (resume.findIndex((other) => other.interruptId === interruptId) < index) {
      issues.push({ path, code: 'duplicate', message: 'is answered twice in one request' });
    }
  }
  if (issues.length > 0) throw new ApiError('invalid_input', 'nothing was answered: see issues', issues);
}

async function answerOf(
  service: RunService,
  principal: Principal,
  root: FoundRun,
  { entry, index }: Pick<Answer, 'entry' | 'index'>,
): Promise<Answer> {
  const named = readInterruptId(entry.interruptId);
  if (!named) throw runNotFound();
  const run = await service.find(principal, named.run_id);
  // Answered from here are the asks of this conversation and no others.
  if (run.runId !== root.runId && !run.identity.ancestors.includes(root.runId)) throw runNotFound();
  const input: unknown = entry.status === 'cancelled' ? { kind: 'decline' } : entry.payload;
  return { entry, index, run, askId: named.ask_id, input };
}

function judge(principal: Principal, answers: readonly Answer[]): void {
  const issues: ContractIssue[] = [];
  for (const { run, index, input } of answers) {
    const { pending } = run.snapshot;
    const held = claimOn(run.snapshot);
    if (isHeldByAnother(held, principal.name)) throw claimedByAnother(held);
    const verdict = pending ? judgeAnswer(pending, input) : undefined;
    if (!verdict || verdict.ok) continue;
    const path = `resume.${index}.payload`;
    issues.push(...verdict.issues.map((issue) => ({ ...issue, path: issue.path ? `${path}.${issue.path}` : path })));
  }
  if (issues.length === 0) return;
  const message =
    'nothing was answered, the run waits on: the payload does not fit responseSchema, see metadata.issues';
  throw new ApiError('invalid_input', message, issues.slice(0, 100));
}

/** True for an ask of the run that is over: abandoning it takes nothing more. */
async function isClosedAsk(service: RunService, principal: Principal, { run, askId }: Answer): Promise<boolean> {
  const asks = await service.asks(principal, run.runId, 'all');
  return asks.some((ask) => ask.run_id === run.runId && ask.ask_id === askId && ask.state !== 'pending');
}

async function sendAnswer(service: RunService, principal: Principal, agUiRunId: string, answer: Answer): Promise<void> {
  const { entry, run, askId, input } = answer;
  const idempotencyKey = `ag_ui ${agUiRunId} ${entry.interruptId}`;
  await service.resume(principal, run.runId, { input, ask_id: askId, idempotencyKey, channel: 'ag_ui' });
}

function withCount(error: unknown, taken: number): unknown {
  if (!(error instanceof ApiError) || taken === 0) return error;
  return new ApiError(error.code, `${error.message} (${taken} of the other answers were taken)`, error.issues);
}
