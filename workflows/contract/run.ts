/** The run record (CONTRACT §4), what starts a run, and where a run keeps what readers need: its memo. */
import { z } from 'zod';
import { claimSchema, type Claim } from './claims';
import { runErrorSchema } from './events';
import { isDeeperThan, jsonBytes, type JsonObject } from './json';
import { isRunId } from './ids';
import { LIMITS } from './limits';
import { onQuestionSchema, runStatusSchema } from './modes';
import { questionSchema } from './question';
import { visibleText } from './text';

export const childAwaitingSchema = z.strictObject({ run_id: z.string(), ask_id: z.string() });
export type ChildAwaiting = z.infer<typeof childAwaitingSchema>;

export const runIdSchema = z
  .string()
  .refine(isRunId, 'must be 1 to 64 of A-Z a-z 0-9 _ -')
  .meta({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
export const metadataSchema = z
  .record(z.string(), z.json())
  .meta({ description: 'Kept with the run and shown as is.' });

/** `GET /agents/{run_id}`. */
export const runRecordSchema = z
  .strictObject({
    run_id: z.string(),
    root_run_id: z.string(),
    parent_run_id: z.string().nullable(),
    agent: z.string(),
    status: runStatusSchema,
    on_question: onQuestionSchema,
    assignee: z.string().nullable(),
    metadata: metadataSchema,
    pending_input_type: z.literal('ask_human').nullable(),
    pending_input_schema: z.record(z.string(), z.unknown()).nullable(),
    pending_input_context: questionSchema.nullable(),
    /** Who holds the pending ask; null when nobody does. */
    claim: claimSchema.nullable(),
    children_awaiting: z.array(childAwaitingSchema),
    result: z.json(),
    error: runErrorSchema.nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    ended_at: z.string().nullable(),
    active_ms: z.number().int(),
    waiting_ms: z.number().int(),
  })
  .meta({ id: 'Run' });
export type RunRecord = z.infer<typeof runRecordSchema>;

/** Body of `POST /agents`. */
export const startRunSchema = z
  .strictObject({
    agent: visibleText(LIMITS.agentName),
    input: z.json({
      error: ({ input }) =>
        input === undefined ? 'is missing: what the agent is to work on, null for nothing' : undefined,
    }),
    on_question: onQuestionSchema.default('pause'),
    assignee: visibleText(LIMITS.assignee).nullable().default(null),
    run_id: runIdSchema.optional(),
    metadata: metadataSchema.default({}),
  })
  .meta({ id: 'StartRun' });
export type StartRun = z.infer<typeof startRunSchema>;

/** What never changes about a run: memo key `holdpoint_run`, written once at the start. */
export interface RunIdentity {
  root_run_id: string;
  parent_run_id: string | null;
  /** Every run above this one, the caller first, the root last. */
  ancestors: string[];
  agent: string;
  workspace: string;
  on_question: 'pause' | 'auto' | 'none';
  assignee: string | null;
  metadata: JsonObject;
  /** Of an idempotent start: fingerprints of its key and of its request. */
  start?: { key: string; digest: string };
}

/** A descendant that waits, as the runs above it know it. */
export interface WaitingBelow extends ChildAwaiting {
  /** The step of this run that delegated to it, or to a run above it. Absent in memos of older releases. */
  step_id?: string;
}

/** What readers need of a run's state: memo key `holdpoint_state`, rewritten when it changes. */
export interface RunSnapshot {
  status: 'running' | 'awaiting_input' | 'completed' | 'failed' | 'cancelled';
  pending: z.infer<typeof questionSchema> | null;
  /** True when `pending` is an approval: no model may answer it. Left out otherwise. */
  approval?: boolean;
  /** As last judged: `liveClaim` tells whether it still counts. Left out when there is none. */
  claim?: Claim;
  children_awaiting: WaitingBelow[];
  /** True when more descendants wait than `children_awaiting` names here: the `run` query has all. */
  more_children_awaiting: boolean;
  result: z.core.util.JSONType;
  error: { code: string; message: string } | null;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  /** Milliseconds spent waiting for people in pauses that are over. */
  waited_ms: number;
  last_event_id: number;
}

/** `start` is what a team's own client may say of a run that it starts: see `startMemo`. */
export const MEMO_KEYS = { run: 'holdpoint_run', state: 'holdpoint_state', start: 'holdpoint_start' } as const;

/**
 * Search attributes (CONTRACT §9). Never encoded, so no question text is ever put in one. `HoldpointAskedAt` is when
 * the pending ask was opened.
 */
export const SEARCH_ATTRIBUTES = {
  HoldpointStatus: 'Keyword',
  HoldpointAgent: 'Keyword',
  HoldpointRootRunId: 'Keyword',
  HoldpointAssignee: 'Keyword',
  HoldpointWorkspace: 'Keyword',
  HoldpointAskedAt: 'Datetime',
} as const;

export const WORKFLOW_TYPE = 'agentRun';
export const DEFAULT_TASK_QUEUE = 'holdpoint';
export const DEFAULT_WORKSPACE = 'default';

/**
 * The one argument of `agentRun`. Everything but `agent` and `input` may be left out by who starts one by hand; a run
 * then is its own root, in the default workspace, in mode `pause`.
 */
export interface AgentRunArgs {
  agent: string;
  input: z.core.util.JSONType;
  run?: Partial<RunIdentity>;
  /** State of the execution before, through continue-as-new. Written by the workflow alone. */
  carried?: unknown;
}

/** What the starter of a run with arguments of its own may say about it. What is left out, the workflow decides. */
export type RunStart = Partial<Pick<RunIdentity, 'workspace' | 'on_question' | 'assignee' | 'metadata'>>;

/**
 * The `memo` with which a team's own client starts a pausable run, when the run shall not have what `pausableRun` was
 * given: `client.workflow.start(…, { memo: startMemo({ assignee: 'sam@contoso.com' }) })`.
 */
export function startMemo(start: RunStart): Record<string, unknown> {
  return { [MEMO_KEYS.start]: start };
}

/** A workflow that is a run and has arguments of its own (`pausableRun`): it is started with the input alone. */
export interface WorkflowTarget {
  type: string;
  /** Default: where whoever starts it is itself. */
  task_queue?: string | undefined;
}

/** Such a workflow under the name of an agent: that is how `POST /agents` and an agent's `delegate` find it. */
export interface WorkflowAgent extends WorkflowTarget {
  agent: string;
}

/** An id of a workflow above a run: a root started by hand may have any that Temporal takes. */
const workflowIdSchema = z.string().min(1).max(1_000);

/**
 * Who a run is, as its starter says: in `agentRun`'s arguments, or in the memo of a workflow with arguments of its own.
 * It goes into search attributes and the memo, which have limits. Unknown keys pass: a newer starter may send more.
 */
export const runIdentitySchema = z.looseObject({
  root_run_id: workflowIdSchema,
  parent_run_id: workflowIdSchema.nullable(),
  ancestors: z.array(workflowIdSchema).max(LIMITS.depth),
  agent: z.string().min(1).max(LIMITS.agentName),
  workspace: z.string().min(1).max(LIMITS.assignee),
  on_question: onQuestionSchema,
  assignee: z.string().max(LIMITS.assignee).nullable(),
  metadata: z
    .record(z.string(), z.unknown())
    .refine((metadata) => !isDeeperThan(metadata, LIMITS.jsonDepth), 'is nested too deep')
    .refine((metadata) => jsonBytes(metadata) <= LIMITS.bodyBytes, 'is too large'),
});

/** What `agentRun` takes for arguments. Whoever starts one by hand may send anything. */
export const agentRunArgsSchema = z.looseObject({
  agent: z.string().min(1).max(LIMITS.agentName),
  input: z.unknown().refine((input) => !isDeeperThan(input, LIMITS.jsonDepth), 'is nested too deep'),
  run: runIdentitySchema.partial().optional(),
});

/** The state of a run as it starts, for readers that come before its first workflow task. */
export function newRunSnapshot(createdAt: string): RunSnapshot {
  return {
    status: 'running',
    pending: null,
    children_awaiting: [],
    more_children_awaiting: false,
    result: null,
    error: null,
    created_at: createdAt,
    updated_at: createdAt,
    ended_at: null,
    waited_ms: 0,
    last_event_id: 0,
  };
}
