/** What the tools take and give. Where the HTTP API says the same, it is the same schema. */
import { z } from 'zod';
import {
  definitionSchema,
  holderSchema,
  isIdempotencyKey,
  LIMITS,
  questionSchema,
  runRecordSchema,
  startRunSchema,
} from '../../workflows/contract';
import { inboxQuery } from '../routes/schemas';

/** Questions of one page, unless the caller says otherwise. */
export const DEFAULT_PAGE = 50;
/** How long `wait_for_run` waits. Clients give a call 60 s by default, and proxies a silent connection as long. */
export const WAIT_SECONDS = { default: 30, max: 50 } as const;

const runId = z.string().max(1_000).meta({ description: 'The run.' });
const idempotencyKey = z
  .string()
  .refine(isIdempotencyKey, `must be 1 to ${LIMITS.idempotencyKey} visible ASCII characters`)
  .optional()
  .meta({ description: 'The same key and arguments give the first outcome again: for a retry after a lost reply.' });

/** Recursive in the contract, which not every model provider can read in a tool's schema: judged by the contract all the same. */
const anyJson = z.unknown().refine((value) => value !== undefined, 'is missing');
const anyObject = z.record(z.string(), z.unknown());

export const listAgentsInput = z.strictObject({});
export const startRunInput = startRunSchema.extend({
  input: anyJson.meta({ description: 'What the agent takes: see its input_schema in list_agents.' }),
  metadata: anyObject.optional().meta({ description: 'Kept with the run and shown as is.' }),
  idempotency_key: idempotencyKey,
});
export const getRunInput = z.strictObject({ run_id: runId });
export const cancelRunInput = getRunInput;
export const waitForRunInput = z.strictObject({
  run_id: runId,
  timeout_seconds: z
    .number()
    .min(0)
    .max(WAIT_SECONDS.max)
    .default(WAIT_SECONDS.default)
    .meta({ description: 'How long to wait at most. Call again to wait on.' }),
  ask_user: z
    .boolean()
    .default(true)
    .meta({ description: 'Whether your user may be asked in a form of your client, where it has one. false: never.' }),
});
export const listQuestionsInput = z
  .strictObject({
    run_id: runId.optional().meta({ description: 'Only questions of this run and of its sub-agents.' }),
    agent: inboxQuery.shape.agent,
    assignee: inboxQuery.shape.assignee.meta({ description: 'Only questions for this person.' }),
    limit: z.number().int().min(1).max(LIMITS.inboxPage).optional(),
    cursor: inboxQuery.shape.cursor.meta({ description: 'next_cursor of the page before.' }),
  })
  .refine(({ run_id, ...others }) => run_id === undefined || Object.values(others).every((it) => it === undefined), {
    path: ['run_id'],
    message: 'takes no filter and no page beside it',
  });
export const resumeRunInput = z.strictObject({
  run_id: runId.meta({ description: 'The run that asks: for a sub-agent’s question, the sub-agent’s own run_id.' }),
  input: anyJson.meta({
    description:
      'The answer: {"kind":"multiple_choice","option_id":"…"} with an option id of this question; ' +
      '{"kind":"multiple_choice","option_id":"other","other_text":"…"}; {"kind":"free_form","text":"…"}; or, if nobody ' +
      'will answer, {"kind":"decline","reason":"…"}.',
    type: 'object',
  }),
  ask_id: z.string().max(64).optional().meta({
    description: 'The question that this answers, such as "q1". Refused when another one is pending by now.',
  }),
  answered_by: z
    .enum(['user', 'model'])
    .default('model')
    .meta({ description: 'Recorded with the answer: "user" when your user gave it, "model" when it is your own.' }),
  idempotency_key: idempotencyKey,
});

/** Loose, so that what a newer API tells besides is no fault. */
const question = z.looseObject({
  run_id: z.string(),
  ...questionSchema.shape,
  claim: holderSchema.nullable().optional().meta({ description: 'Who holds it, and until when.' }),
});
const questions = z.array(question).meta({
  description: 'Questions that wait, of this run and its sub-agents, oldest first: each is answered on its run_id.',
});
const run = z.looseObject({
  ...runRecordSchema.shape,
  metadata: anyObject,
  result: z.unknown(),
  pending_questions: questions,
});

export const agentsOutput = z.looseObject({ agents: z.array(z.looseObject(definitionSchema.shape)) });
export const runOutput = run;
export const waitOutput = run.extend({
  waited: z.enum(['ended', 'needs_answer', 'timed_out']).meta({ description: 'Why the wait is over.' }),
});
export const resumeOutput = run.extend({
  answer: z.enum(['taken', 'queued']).meta({ description: '"queued": kept, and judged when a worker is up again.' }),
});
export const questionsOutput = z.looseObject({
  questions: z.array(question),
  count: z.number().int().meta({ description: 'Of all pages.' }),
  next_cursor: z.string().nullable(),
});

export type WaitArguments = z.output<typeof waitForRunInput>;
