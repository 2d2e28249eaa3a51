/** Schemas of paths, queries and replies: what the routes check, and what OpenAPI shows. */
import { z } from 'zod';
import {
  ASK_KINDS,
  attachmentsSchema,
  askClosingSchema,
  askSchema,
  CLAIM_FOR,
  claimForSchema,
  holderSchema,
  definitionSchema,
  errorBodySchema,
  givenBySchema,
  LIMITS,
  looseText,
  messageSchema,
  questionSchema,
  runEventSchema,
  runRecordSchema,
  RUN_STATUSES,
} from '../../workflows/contract';

export const runParams = z.object({
  run_id: z.string().meta({ description: 'The run: its id is also its workflow id.' }),
});

/** A whole number in a query string. */
function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().int().min(min).max(max));
}

/** Text that runs are searched by. The search itself takes everything but a NUL. */
function searchText(max: number) {
  return looseText(max).regex(/^[^\0]*$/, 'must not hold a NUL');
}

export const listQuery = z.strictObject({
  status: z.enum(RUN_STATUSES).optional(),
  agent: searchText(LIMITS.agentName).optional(),
  assignee: searchText(LIMITS.assignee).optional(),
  root_run_id: searchText(LIMITS.runId).optional(),
  limit: wholeNumber(1, LIMITS.listPage).default(20),
  cursor: z.string().max(1_000).optional(),
});
export const eventsQuery = z.strictObject({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: wholeNumber(1, LIMITS.eventPage).default(LIMITS.eventPage),
});
export const messagesQuery = z.strictObject({
  from: wholeNumber(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: wholeNumber(1, LIMITS.eventPage).default(LIMITS.eventPage),
});
export const asksQuery = z.strictObject({ state: z.enum(['pending', 'all']).default('pending') });

/** Body of `resume`. What stands in `input` is judged by the question's own schema. */
export const resumeBody = z
  .strictObject({
    input: z.unknown().refine((input) => input !== undefined, 'is missing: the answer goes here'),
    ask_id: z.string().max(64).optional().meta({ description: 'Refuses the answer when another ask is pending.' }),
  })
  .meta({ id: 'Resume' });
const claimedAsk = z.string().max(64).meta({ description: 'The ask: refused when another one is pending.' });
export const claimBody = z
  .strictObject({ ask_id: claimedAsk, for: claimForSchema.default(CLAIM_FOR.default) })
  .meta({ id: 'ClaimRequest' });
export const releaseBody = z.strictObject({ ask_id: claimedAsk }).meta({ id: 'ReleaseRequest' });
/** `cancel` takes no settings: no body at all, or an empty object. */
export const cancelBody = z.strictObject({}).nullish();

export const definitionList = z.strictObject({ definitions: z.array(definitionSchema) });
export const runList = z.strictObject({ runs: z.array(runRecordSchema), next_cursor: z.string().nullable() });
export const queuedRun = runRecordSchema.extend({ answer: z.literal('queued') }).meta({ id: 'QueuedRun' });
/** A claim or release that waits for a worker: whether it won is to be seen in the record then. */
export const queuedRequest = runRecordSchema.extend({ request: z.literal('queued') }).meta({ id: 'QueuedRequest' });
export const eventList = z.strictObject({
  run_id: z.string(),
  events: z.array(runEventSchema),
  first_event_id: z.number().int(),
  last_event_id: z.number().int(),
  has_more: z.boolean(),
});
/** A stream that is over before it says anything. */
export const nothingMore = z.null().meta({ description: 'The run has ended and nothing comes after the cursor.' });
export const messageList = z.strictObject({
  run_id: z.string(),
  messages: z.array(messageSchema),
  from: z.number().int(),
  total: z.number().int(),
  has_more: z.boolean(),
  tokens: z
    .number()
    .int()
    .optional()
    .meta({ description: 'Tokens that the model turns of the run have used so far, where they are counted.' }),
});
const nullableClosing = askClosingSchema.omit({ outcome: true }).partial({ closed_at: true });
const askView = questionSchema.omit({ kind: true }).extend({
  run_id: z.string(),
  kind: z.enum(ASK_KINDS),
  state: askSchema.shape.state,
  pending_input_schema: z.record(z.string(), z.unknown()).nullable(),
  ...nullableClosing.shape,
  closed_at: z.string().nullable(),
  given_by: givenBySchema.nullable(),
  attachments: attachmentsSchema,
  claim: holderSchema.nullable().meta({ description: 'Who holds it, and until when.' }),
});
export const askList = z.strictObject({ asks: z.array(askView) });

export const inboxQuery = z.strictObject({
  agent: searchText(LIMITS.agentName).optional(),
  assignee: searchText(LIMITS.assignee).optional(),
  limit: wholeNumber(1, LIMITS.inboxPage).default(100),
  cursor: z.string().max(1_000).optional(),
});
export const inboxPage = z.strictObject({
  asks: z.array(
    askView.extend({
      root_run_id: z.string(),
      parent_run_id: z.string().nullable(),
      agent: z.string(),
    }),
  ),
  count: z.number().int().meta({ description: 'Pending asks that match, on all pages.' }),
  next_cursor: z.string().nullable(),
});

/** The error replies of a route, by status. */
export function errors(...statuses: number[]): Record<number, typeof errorBodySchema> {
  return Object.fromEntries([401, 403, 429, 503, ...statuses].map((status) => [status, errorBodySchema]));
}
