/**
 * Names, payloads and descriptions of everything that reaches a run from outside: signals and queries. The
 * descriptions show in Temporal's Web UI, so they say what to send by hand.
 */
import { z } from 'zod';
import { contractIssue } from './answer';
import { askClosingSchema } from './asks';
import { claimForSchema, type Claim } from './claims';
import { issueSchema, type ContractIssue } from './errors';
import { askOutcomeSchema, channelSchema, provenanceShape } from './events';
import { jsonBytes } from './json';
import { LIMITS } from './limits';
import { questionSchema } from './question';
import { runIdSchema, type RunSnapshot } from './run';

export const SIGNALS = {
  answer: {
    name: 'answer',
    description:
      'Answers the pending question. Send {"input": {…}} with {"kind":"multiple_choice","option_id":"…"}, ' +
      '{"kind":"free_form","text":"…"} or {"kind":"decline"}; "ask_id" guards against answering a later question. ' +
      'Judged by the run: a bad one is an ask.rejected event and the run stays paused.',
  },
  claim: {
    name: 'claim',
    description:
      'Claims the pending question for somebody: until the claim is over, nobody else can answer. Send ' +
      '{"principal": "who", "ask_id": "q1", "for": "15m"}; all but "principal" may be left out.',
  },
  release: {
    name: 'release',
    description: 'Gives a claimed question back. Send {"principal": "who"}: the one who holds it.',
  },
  childNeedsHuman: {
    name: 'child_needs_human',
    description: 'Sent by a sub-agent of this run when it asks a person. Not for hand use.',
  },
  childAskClosed: {
    name: 'child_ask_closed',
    description: 'Sent by a sub-agent of this run when its question is closed. Not for hand use.',
  },
} as const;

export const QUERIES = {
  run: { name: 'run', description: 'State of the run: status, pending question, waiting sub-agents, result.' },
  events: { name: 'events', description: 'Events of the run. Optional input: {"after": 0, "limit": 1000}.' },
  asks: { name: 'asks', description: 'Asks of the run and its sub-agents. Optional input: {"state": "all"}.' },
  messages: { name: 'messages', description: 'The transcript. Optional input: {"from": 0, "limit": 1000}.' },
  steps: { name: 'steps', description: 'The timeline: model turns, tool calls, asks and delegations, in order.' },
  answerOutcome: {
    name: 'answer_outcome',
    description: 'What became of an answer signal. Input: {"answer_id": "…"}.',
  },
  claimOutcome: {
    name: 'claim_outcome',
    description: 'What became of a claim or release signal. Input: {"claim_id": "…"}.',
  },
} as const;

/**
 * Payload of the `answer` signal. Everything but `input` may be left out by whoever signals by hand.
 */
export const answerSignalSchema = z.strictObject({
  /** Names this answer for `answer_outcome`, and makes a repeated signal one answer. */
  answer_id: z.string().min(1).max(200).optional(),
  /** The ask it was judged for; an answer for another ask than the pending one is refused. */
  ask_id: z.string().max(64).optional(),
  input: z.unknown(),
  principal: z.string().max(200).nullable().optional(),
  channel: channelSchema.optional(),
  ...provenanceShape,
  /** Fingerprint of the request, so that a retry can be told from another body under the same key. */
  digest: z.string().max(200).optional(),
});
export type AnswerSignal = z.infer<typeof answerSignalSchema>;

export type ReadAnswerSignal = { ok: true; value: AnswerSignal } | { ok: false; issues: ContractIssue[] };

/** Reads the payload of an `answer` signal, sent by the API or by hand: a bare answer body counts as its own `input`. */
export function readAnswerSignal(payload: unknown): ReadAnswerSignal {
  const bare = typeof payload === 'object' && payload !== null && 'kind' in payload && !('input' in payload);
  const parsed = answerSignalSchema.safeParse(bare ? { input: payload } : payload);
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, issues: parsed.error.issues.map(contractIssue) };
}

/** Names a claim or release for `claim_outcome`, and makes a repeated signal one. */
export const claimIdSchema = z.string().min(1).max(200);

/** Payload of the `release` signal. */
export const releaseSignalSchema = z.strictObject({
  claim_id: claimIdSchema.optional(),
  /** The ask it is for; refused when another one is pending. */
  ask_id: z.string().max(64).optional(),
  /** Who claims or releases: whose answers are taken meanwhile. */
  principal: z.string().min(1).max(200),
});
export type ReleaseSignal = z.infer<typeof releaseSignalSchema>;

/** Payload of the `claim` signal. */
export const claimSignalSchema = releaseSignalSchema.extend({ for: claimForSchema.optional() });
export type ClaimSignal = z.infer<typeof claimSignalSchema>;

/** What became of a claim or a release, and who held the ask after it. */
export interface ClaimOutcome {
  /** Null for one that nobody named: told to nobody, and not kept. */
  claim_id: string | null;
  verdict: 'taken' | 'invalid_input' | 'run_not_waiting' | 'ask_mismatch' | 'claimed';
  claim: Claim | null;
}

/** Reply of the `claim_outcome` query: the outcome (null when unknown) and the run's state at that moment. */
export interface ClaimOutcomeReply {
  outcome: ClaimOutcome | null;
  snapshot: RunSnapshot;
}

/** The `ask_id` of an answer that was sent when no ask was pending: bound to its key, and to no ask for ever. */
export const NO_ASK = 'none';

/** `input` of a signal for `NO_ASK`: the refusal that its key stands for from then on, told again to every retry. */
export const boundRefusalSchema = z.strictObject({
  verdict: z.enum(['invalid_input', 'run_not_waiting', 'ask_mismatch', 'claimed']),
  issues: z.array(issueSchema).max(20),
});
export type BoundRefusal = z.infer<typeof boundRefusalSchema>;

/**
 * Frames come from whoever can send a signal, and what they name goes into the receiver's memo: nothing in one is
 * longer than a real one's, or a few forged ones would burst a payload and wedge the run.
 */
const frameIds = { child_run_id: runIdSchema, ask_id: z.string().max(64) };
const MAX_QUESTION_BYTES = 256 * 1024;
const MAX_CLOSING_BYTES = 64 * 1024;
/** As long as Temporal lets an id be: the root may have been started by hand. */
const MAX_WORKFLOW_ID = 1_000;

export const childNeedsHumanSchema = z.strictObject({
  child_run_id: frameIds.child_run_id,
  question: questionSchema
    .extend({ ask_id: frameIds.ask_id })
    .refine((question) => jsonBytes(question) <= MAX_QUESTION_BYTES, 'too large'),
  timestamp: z.string().max(64),
  /** Runs above the asker, its caller first: tells which sub-agent of the receiver it came through. */
  ancestors: z.array(z.string().max(MAX_WORKFLOW_ID)).max(LIMITS.depth),
});
export type ChildNeedsHumanSignal = z.infer<typeof childNeedsHumanSchema>;

export const childAskClosedSchema = z.strictObject({
  ...frameIds,
  outcome: askOutcomeSchema,
  closing: askClosingSchema.refine((closing) => jsonBytes(closing) <= MAX_CLOSING_BYTES, 'too large'),
});
export type ChildAskClosedSignal = z.infer<typeof childAskClosedSchema>;

/** What became of an answer signal. */
export interface AnswerOutcome {
  answer_id: string;
  ask_id: string | null;
  verdict: 'taken' | 'invalid_input' | 'run_not_waiting' | 'ask_mismatch' | 'claimed';
  issues: ContractIssue[];
  digest: string | null;
}

/** Reply of the `answer_outcome` query: the outcome (null when unknown) and the run's state at that moment. */
export interface AnswerOutcomeReply {
  outcome: AnswerOutcome | null;
  snapshot: RunSnapshot;
}

/**
 * What a run hands back when it completes, and what its failure carries as details: everything the record needs, so
 * that a closed run is read from its last event, with no worker.
 */
export interface RunOutcome {
  result: RunSnapshot['result'];
  snapshot: RunSnapshot;
}
