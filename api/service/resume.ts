/** `POST /agents/{id}/resume`: look up, judge, signal, read the verdict back (CONTRACT §5). */
import { randomUUID } from 'node:crypto';
import {
  judgeAnswer,
  NO_ASK,
  QUERIES,
  readAnswerSignal,
  type AnswerOutcome,
  type AnswerOutcomeReply,
  type AnswerSignal,
  type Channel,
  type ContractIssue,
  type RunRecord,
} from '../../workflows/contract';
import { ApiError, runNotWaiting } from '../errors';
import type { Principal } from '../keys';
import { fingerprint, fingerprintOfJson } from './fingerprint';
import type { TemporalGateway } from './gateway';
import type { FoundRun } from './lookup';
import { recordInAnyCase } from './record';

export interface ResumeRequest {
  input: unknown;
  /** Refuses the answer when another ask than this one is pending. */
  ask_id?: string | undefined;
  idempotencyKey?: string | undefined;
  channel: Channel;
}

/** `queued`: no worker has answered yet; the answer is durable and will be judged when one does. */
export type ResumeReply = { record: RunRecord; queued: boolean };

/**
 * Answers the pending ask of a found run. Returns once the workflow has taken the answer; every refusal and every lost
 * race is thrown as its error.
 */
export async function resumeRun(
  gateway: TemporalGateway,
  principal: Principal,
  run: FoundRun,
  request: ResumeRequest,
): Promise<ResumeReply> {
  const retry = request.idempotencyKey === undefined ? undefined : retryOf(principal, run, request);
  const refusal = refusalOf(run, request);
  if (refusal) {
    if (retry) {
      // Under a key that was used before, the first outcome counts, whatever the run waits for by now.
      const reply = await verdictOf(gateway, run, retry.answer_id);
      if (reply?.outcome) return replyOf(gateway, run, reply, reply.outcome, retry.digest);
      if (refusal.code === 'run_not_waiting' && !run.closed) await bindKey(gateway, principal, run, request, retry);
    }
    throw refusal;
  }
  const signal: AnswerSignal = {
    answer_id: retry?.answer_id ?? randomUUID(),
    ask_id: run.snapshot.pending?.ask_id,
    input: request.input,
    principal: principal.name,
    channel: request.channel,
    ...(retry ? { digest: retry.digest } : {}),
  };
  if (!(await gateway.signalAnswer(run.runId, signal))) throw runNotWaiting();
  const reply = await verdictOf(gateway, run, signal.answer_id as string).catch((error: unknown) => {
    // The answer is in the run's history by now. Nobody has judged it yet, and that is what the caller is told.
    if (error instanceof ApiError && error.code === 'engine_unavailable') return null;
    throw error;
  });
  if (!reply?.outcome) {
    if (await isQueuedBehindAnother(gateway, run, signal)) throw queuedBehindAnother();
    return { record: await recordInAnyCase(gateway, run), queued: true };
  }
  return replyOf(gateway, run, reply, reply.outcome, signal.digest ?? null);
}

/** Why the run as it was just read cannot take this body; undefined when it can. */
function refusalOf(run: FoundRun, request: ResumeRequest): ApiError | undefined {
  const pending = run.snapshot.pending;
  if (run.closed || !pending) return runNotWaiting();
  if (request.ask_id !== undefined && request.ask_id !== pending.ask_id) return askMismatch(pending.ask_id);
  const verdict = judgeAnswer(pending, request.input);
  return verdict.ok ? undefined : invalidAnswer(verdict.issues.map((issue) => within('input', issue)));
}

function retryOf(principal: Principal, run: FoundRun, request: ResumeRequest): { answer_id: string; digest: string } {
  const key = fingerprint(principal.workspace, run.runId, request.idempotencyKey ?? '');
  const digest = fingerprintOfJson({ input: request.input ?? null, ask_id: request.ask_id ?? null });
  return { answer_id: `key-${key.slice(0, 40)}`, digest };
}

/** Makes the refusal the outcome of the key: a retry that comes when the run asks again does not answer that. */
async function bindKey(
  gateway: TemporalGateway,
  principal: Principal,
  run: FoundRun,
  request: ResumeRequest,
  retry: { answer_id: string; digest: string },
): Promise<void> {
  const { channel } = request;
  await gateway.signalAnswer(run.runId, { ...retry, ask_id: NO_ASK, input: null, principal: principal.name, channel });
}

const TRIES = 5;
const BETWEEN_TRIES_MS = 100;

/** The verdict on an answer id. The query is served after the signal; only a change of execution needs another try. */
async function verdictOf(
  gateway: TemporalGateway,
  run: FoundRun,
  answerId: string,
): Promise<AnswerOutcomeReply | null> {
  for (let attempt = 1; ; attempt += 1) {
    const args = { answer_id: answerId };
    const reply = await gateway.query<AnswerOutcomeReply>(run.runId, QUERIES.answerOutcome.name, args);
    if (reply.outcome || attempt === TRIES) return reply;
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
  }
}

/**
 * Whether a good answer is in the run's history before this one: the first good one wins, so with no worker up its
 * verdict is known all the same, and the loser is told now.
 */
async function isQueuedBehindAnother(gateway: TemporalGateway, run: FoundRun, mine: AnswerSignal): Promise<boolean> {
  const pending = run.snapshot.pending;
  const queued = await gateway.answersQueued(run.runId).catch(() => []);
  for (const payload of queued) {
    const read = readAnswerSignal(payload);
    if (!read.ok) continue;
    if (read.value.answer_id === mine.answer_id) return false;
    const forThisAsk = read.value.ask_id === undefined || read.value.ask_id === pending?.ask_id;
    if (pending && forThisAsk && judgeAnswer(pending, read.value.input).ok) return true;
  }
  return false;
}

async function replyOf(
  gateway: TemporalGateway,
  run: FoundRun,
  reply: AnswerOutcomeReply,
  outcome: AnswerOutcome,
  digest: string | null,
): Promise<ResumeReply> {
  if (outcome.digest !== digest) {
    throw new ApiError('idempotency_conflict', 'this Idempotency-Key was used with another body');
  }
  switch (outcome.verdict) {
    case 'taken':
      return { record: await recordInAnyCase(gateway, { ...run, snapshot: reply.snapshot }), queued: false };
    case 'invalid_input':
      throw invalidAnswer(outcome.issues.map((issue) => within('input', issue)));
    case 'ask_mismatch':
      throw askMismatch(reply.snapshot.pending?.ask_id ?? null);
    case 'run_not_waiting':
      throw runNotWaiting();
  }
}

function queuedBehindAnother(): ApiError {
  const message = 'another answer came first: no worker has taken it up yet, but it is the one that counts';
  return new ApiError('run_not_waiting', message);
}

function askMismatch(pendingAskId: string | null): ApiError {
  const now = pendingAskId === null ? 'the run waits for nothing now' : `the run waits with ${pendingAskId} now`;
  return new ApiError('ask_mismatch', `the question that this answers is closed: ${now}`);
}

function invalidAnswer(issues: ContractIssue[]): ApiError {
  return new ApiError(
    'invalid_input',
    'the answer does not fit the question: see issues and pending_input_schema',
    issues,
  );
}

function within(parent: string, issue: ContractIssue): ContractIssue {
  return { ...issue, path: issue.path ? `${parent}.${issue.path}` : parent };
}
