/** `POST /agents/{id}/resume`: look up, judge, signal, read the verdict back (CONTRACT §5). */
import { randomUUID } from 'node:crypto';
import {
  isHeldByAnother,
  judgeAnswer,
  NO_ASK,
  PERSON_NEEDED,
  provenanceOf,
  type AnswerOutcome,
  type AnswerOutcomeReply,
  type AnswerSignal,
  type Attachment,
  type BoundRefusal,
  type Channel,
  type ContractIssue,
  type GivenBy,
  type RunRecord,
  type RunSnapshot,
} from '../../workflows/contract';
import { ApiError, askMismatch, claimedByAnother, nullWhen, runNotWaiting } from '../errors';
import type { Principal } from '../keys';
import { fingerprint, fingerprintOfJson } from './fingerprint';
import { placeOfAnswer } from './answer-queue';
import type { TemporalGateway } from './gateway';
import { claimOn, type FoundRun } from './lookup';
import { recordInAnyCase } from './record';
import { verdictOf } from './verdict';

export interface ResumeRequest {
  input: unknown;
  /** Refuses the answer when another ask than this one is pending. */
  ask_id?: string | undefined;
  idempotencyKey?: string | undefined;
  channel: Channel;
  /** Files that came with it, by name and size: bounded by `attachmentsSchema`, which the door has checked. */
  attachments?: Attachment[] | undefined;
  /** Who gave it, where the door can tell a model from its user. */
  given_by?: GivenBy | undefined;
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
  const refusal = refusalOf(principal, run, request);
  if (refusal) {
    if (retry) {
      // Under a key that was used before, the first outcome counts, whatever the run waits for by now.
      const reply = await verdictOn(gateway, run, retry.answer_id, 1);
      if (reply?.outcome) return replyOf(gateway, run, reply, reply.outcome, retry.digest);
      if (!run.closed && run.historyLength < BINDING_HISTORY)
        await bindKey(gateway, principal, run, { ...retry, channel: request.channel, input: refusal });
    }
    throw errorOf(refusal, run.snapshot);
  }
  const signal: AnswerSignal = {
    answer_id: retry?.answer_id ?? randomUUID(),
    ask_id: run.snapshot.pending?.ask_id,
    input: request.input,
    principal: principal.name,
    channel: request.channel,
    ...provenanceOf(request),
    ...(retry ? { digest: retry.digest } : {}),
  };
  if (!(await gateway.signalAnswer(run.runId, signal))) throw runNotWaiting();
  const reply = await verdictInTime(gateway, run, signal);
  if (!reply?.outcome) return { record: await recordInAnyCase(gateway, run), queued: true };
  return replyOf(gateway, run, reply, reply.outcome, signal.digest ?? null);
}

/** Why the run as it was just read cannot take this body; undefined when it can. */
function refusalOf(principal: Principal, run: FoundRun, request: ResumeRequest): BoundRefusal | undefined {
  const pending = run.snapshot.pending;
  if (run.closed || !pending) return { verdict: 'run_not_waiting', issues: [] };
  if (request.ask_id !== undefined && request.ask_id !== pending.ask_id) return { verdict: 'ask_mismatch', issues: [] };
  if (isHeldByAnother(claimOn(run.snapshot), principal.name)) return { verdict: 'claimed', issues: [] };
  const verdict = judgeAnswer(pending, request.input, {
    approval: run.snapshot.approval,
    given_by: request.given_by,
  });
  return verdict.ok ? undefined : { verdict: 'invalid_input', issues: verdict.issues.slice(0, 20) };
}

function retryOf(principal: Principal, run: FoundRun, request: ResumeRequest): { answer_id: string; digest: string } {
  // Of one caller: another who happens to send the same key means an answer of their own.
  const key = fingerprint(principal.workspace, principal.name, run.runId, request.idempotencyKey ?? '');
  const { input = null, ask_id = null } = request;
  const { attachments } = provenanceOf(request);
  // Left out when there are none, or a retry that spans an upgrade would seem to have another body. A model's word that is
  // said again as its user's is another answer: it must not hear what became of the first.
  const given_by = request.given_by === 'model' ? { given_by: request.given_by } : {};
  const digest = fingerprintOfJson({ input, ask_id, ...(attachments ? { attachments } : {}), ...given_by });
  return { answer_id: `key-${key.slice(0, 40)}`, digest };
}

/** Makes the refusal the outcome of the key: a retry that comes when the run asks again does not answer that. */
async function bindKey(
  gateway: TemporalGateway,
  principal: Principal,
  run: FoundRun,
  bound: Pick<AnswerSignal, 'answer_id' | 'digest' | 'channel'> & { input: BoundRefusal },
): Promise<void> {
  await gateway.signalAnswer(run.runId, { ...bound, ask_id: NO_ASK, principal: principal.name });
}

/**
 * Each bound refusal is a signal, of which Temporal takes 10,000 for one execution. A caller that keeps sending bad
 * answers under ever new keys must not use them up: above this many events, refusals are told and no longer kept.
 */
const BINDING_HISTORY = 4_000;

function verdictOn(gateway: TemporalGateway, run: FoundRun, answerId: string, tries?: number) {
  return verdictOf<AnswerOutcomeReply>(gateway, run.runId, 'answerOutcome', { answer_id: answerId }, tries);
}

/**
 * The verdict on an answer that is in the run's history by now; null when it is not to be had in time, which is what the
 * caller is told then. Throws when it cannot be the one that counts.
 */
async function verdictInTime(
  gateway: TemporalGateway,
  run: FoundRun,
  mine: AnswerSignal,
): Promise<AnswerOutcomeReply | null> {
  const ask = () => verdictOn(gateway, run, mine.answer_id as string).catch(nullWhen('engine_unavailable'));
  const reply = await ask();
  if (reply?.outcome) return reply;
  const { place, digest } = await placeOfAnswer(gateway, run, mine);
  if (digest !== undefined && digest !== (mine.digest ?? null)) throw keyIsUsed();
  if (place === 'behind') throw anotherCameFirst();
  if (place === 'late') throw runNotWaiting();
  // Unless nobody has taken it up, what was said of it may be had after all: also when it was in an earlier execution.
  return place === 'first' ? null : ask();
}

async function replyOf(
  gateway: TemporalGateway,
  run: FoundRun,
  reply: AnswerOutcomeReply,
  outcome: AnswerOutcome,
  digest: string | null,
): Promise<ResumeReply> {
  if (outcome.digest !== digest) throw keyIsUsed();
  const { verdict, issues } = outcome;
  if (verdict !== 'taken') throw errorOf({ verdict, issues }, reply.snapshot);
  return { record: await recordInAnyCase(gateway, { ...run, snapshot: reply.snapshot }), queued: false };
}

function errorOf({ verdict, issues }: BoundRefusal, snapshot: RunSnapshot): ApiError {
  switch (verdict) {
    case 'invalid_input':
      if (issues[0]?.code === PERSON_NEEDED) return new ApiError('invalid_input', issues[0].message, issues);
      return invalidAnswer(issues.map((issue) => within('input', issue)));
    case 'ask_mismatch':
      return askMismatch(snapshot.pending?.ask_id ?? null);
    case 'claimed':
      return claimedByAnother(claimOn(snapshot));
    case 'run_not_waiting':
      return runNotWaiting();
  }
}

function keyIsUsed(): ApiError {
  return new ApiError('idempotency_conflict', 'this Idempotency-Key was used with another body');
}

function anotherCameFirst(): ApiError {
  return new ApiError('run_not_waiting', 'another answer came first, and it is the one that counts');
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
