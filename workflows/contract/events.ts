/** The event stream of a run (CONTRACT §6): one union, each event with its data. */
import { z } from 'zod';
import { attachmentsSchema } from './attachments';
import { issueSchema } from './errors';
import type { JsonObject } from './json';
import { LIMITS } from './limits';
import { questionSchema } from './question';

/** How an ask ended. */
export const ASK_OUTCOMES = ['answered', 'declined', 'expired', 'withdrawn'] as const;
export const askOutcomeSchema = z.enum(ASK_OUTCOMES);
export type AskOutcome = z.infer<typeof askOutcomeSchema>;

/**
 * Where an answer came in. `signal` is a raw Temporal signal: Temporal's CLI or Web UI, another program. `cli` is our own
 * terminal, which goes through the HTTP API.
 */
export const CHANNELS = ['http', 'signal', 'mission_control', 'mcp', 'ag_ui', 'cli', 'policy'] as const;
export const channelSchema = z.enum(CHANNELS);
export type Channel = z.infer<typeof channelSchema>;

export const STEP_STATUSES = ['running', 'waiting', 'completed', 'failed', 'cancelled'] as const;
export const stepStatusSchema = z.enum(STEP_STATUSES);
export type StepStatus = z.infer<typeof stepStatusSchema>;

/**
 * Who gave an answer, where the door can tell: the model that the key belongs to, or the person it works for (MCP). `by`
 * says another thing, whether somebody answered or a policy did.
 */
export const GIVEN_BY = ['human', 'model'] as const;
export const givenBySchema = z.enum(GIVEN_BY);
export type GivenBy = z.infer<typeof givenBySchema>;

/** What an answer may come with besides itself. Both are left out, not null, where there is nothing to tell. */
export const provenanceShape = {
  given_by: givenBySchema.optional(),
  attachments: attachmentsSchema.optional(),
};
export type Provenance = z.infer<z.ZodObject<typeof provenanceShape>>;

const byPerson = {
  /** Name of the API key; null when it came as a raw signal that names nobody. */
  principal: z.string().nullable(),
  channel: channelSchema,
  by: z.enum(['human', 'policy']),
  ...provenanceShape,
};
const failure = z.strictObject({ code: z.string(), message: z.string() });
export const runErrorSchema = failure.meta({ id: 'RunError' });
export type RunError = z.infer<typeof runErrorSchema>;

const stepData = z.strictObject({
  step_id: z.string(),
  name: z.string(),
  status: stepStatusSchema,
  /** Of a model turn that is over: the tokens that it used, where its provider counts them. */
  tokens: z.number().int().positive().optional(),
});
const childData = z.strictObject({ child_run_id: z.string(), agent: z.string() });

/** Data of each event type. `child_needs_human` is exactly what the seed says: no key more. */
export const EVENT_DATA = {
  'run.started': z.strictObject({ agent: z.string() }),
  'run.completed': z.strictObject({ result: z.json() }),
  'run.failed': z.strictObject({ error: failure }),
  'run.cancelled': z.strictObject({}),
  'step.started': stepData,
  'step.paused': stepData,
  'step.completed': stepData,
  'step.failed': stepData,
  'ask.opened': z.strictObject({ ask_id: z.string(), question: questionSchema }),
  'ask.answered': z.strictObject({
    ask_id: z.string(),
    answer: z.string(),
    option_id: z.string().optional(),
    ...byPerson,
  }),
  'ask.rejected': z.strictObject({
    ask_id: z.string(),
    code: z.enum(['invalid_input', 'run_not_waiting', 'ask_mismatch', 'claimed']),
    principal: z.string().nullable(),
    channel: channelSchema,
    issues: z.array(issueSchema),
  }),
  'ask.declined': z.strictObject({ ask_id: z.string(), message: z.string().nullable(), ...byPerson }),
  'ask.claimed': z.strictObject({ ask_id: z.string(), by: z.string(), until: z.string() }),
  'ask.released': z.strictObject({ ask_id: z.string(), by: z.string() }),
  'ask.expired': z.strictObject({ ask_id: z.string() }),
  'ask.withdrawn': z.strictObject({ ask_id: z.string() }),
  'child.started': childData,
  'child.completed': childData,
  'child.failed': childData.extend({ status: z.enum(['failed', 'cancelled']), error: failure }),
  child_needs_human: z.strictObject({ child_run_id: z.string(), question: questionSchema, timestamp: z.string() }),
  child_ask_closed: z.strictObject({ child_run_id: z.string(), ask_id: z.string(), outcome: askOutcomeSchema }),
  'stream.reset': z.strictObject({ first_event_id: z.number().int(), last_event_id: z.number().int() }),
} as const;

/** The part of a signal or a closing that `provenanceShape` is about, with nothing in it that says nothing. */
export function provenanceOf({ given_by, attachments }: Provenance): Provenance {
  return {
    ...(given_by === undefined ? {} : { given_by }),
    ...(attachments === undefined || attachments.length === 0 ? {} : { attachments }),
  };
}

export type EventType = keyof typeof EVENT_DATA;
export type EventData<T extends EventType> = z.infer<(typeof EVENT_DATA)[T]>;

/** Events of a workflow's own making (`run.emit`) are in a namespace of their own: no platform event ever begins so. */
export const OWN_EVENT_PREFIX = 'app.';
export const OWN_EVENT_PATTERN = '^app\\.[a-z0-9_]+(\\.[a-z0-9_]+)*$';
const ownEvent = new RegExp(OWN_EVENT_PATTERN);

/** The wire type of a workflow's own event, from the type as its author wrote it; null when it is none. */
export function ownEventType(type: string): `app.${string}` | null {
  const full: `app.${string}` = type.startsWith(OWN_EVENT_PREFIX) ? (type as `app.${string}`) : `app.${type}`;
  return full.length <= LIMITS.eventType && ownEvent.test(full) ? full : null;
}

/** An event of a workflow's own making. What is in `data` is its author's. */
export interface OwnEvent {
  id: number;
  type: `app.${string}`;
  run_id: string;
  timestamp: string;
  data: JsonObject;
}

/** One event of a run. `id` rises by one within a run, through continue-as-new too. */
export type RunEvent =
  | { [T in EventType]: { id: number; type: T; run_id: string; timestamp: string; data: EventData<T> } }[EventType]
  | OwnEvent;

const eventSchemas = Object.entries(EVENT_DATA).map(([type, data]) =>
  z.strictObject({ id: z.number().int(), type: z.literal(type), run_id: z.string(), timestamp: z.string(), data }),
);
const ownEventSchema = z.strictObject({
  id: z.number().int(),
  type: z.string().regex(ownEvent).meta({ description: 'An event of the workflow’s own making.' }),
  run_id: z.string(),
  timestamp: z.string(),
  data: z.record(z.string(), z.json()),
});
export const runEventSchema = z
  .union([
    z.discriminatedUnion(
      'type',
      eventSchemas as unknown as [(typeof eventSchemas)[number], (typeof eventSchemas)[number]],
    ),
    ownEventSchema,
  ])
  .meta({ id: 'Event' });

/** Events after which a run's stream has nothing more to say. */
export const TERMINAL_EVENTS: ReadonlySet<RunEvent['type']> = new Set(['run.completed', 'run.failed', 'run.cancelled']);

/** One page of a run's log: what the `events` query and the JSON form of `/events` give. */
export interface EventPage {
  events: RunEvent[];
  /** Id of the oldest event that is kept; 0 when there is none yet. */
  first_event_id: number;
  /** Id of the newest event of the run. */
  last_event_id: number;
  /** True when there are events behind this page. */
  has_more: boolean;
}
