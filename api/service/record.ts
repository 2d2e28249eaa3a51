/** The run record (CONTRACT §4) from what the server knows of a run. */
import {
  pendingInputSchema,
  QUERIES,
  type ChildAwaiting,
  type Question,
  type RunRecord,
  type RunSnapshot,
  type WaitingBelow,
} from '../../workflows/contract';
import { nullWhen } from '../errors';
import { DEADLINES, type TemporalGateway } from './gateway';
import { claimOn, readRun, type FoundRun } from './lookup';
import { mapInParallel } from './parallel';

/** The record of a found run, right at this moment: descendants that no longer wait are left out. */
export async function recordOf(gateway: TemporalGateway, found: FoundRun): Promise<RunRecord> {
  const waiting = await descendantsWaiting(gateway, found);
  return buildRecord(
    found,
    waiting.map(({ run, question }) => ({ run_id: run.runId, ask_id: question.ask_id })),
  );
}

/**
 * The record after something was done that cannot be undone: when the descendants cannot be read in time, as the run
 * itself knows them. The caller must hear that it was done.
 */
export function recordInAnyCase(gateway: TemporalGateway, found: FoundRun): Promise<RunRecord> {
  return recordOf(gateway, found).catch(() => buildRecord(found, found.snapshot.children_awaiting));
}

/** A descendant that waits, with its question as its own memo has it. */
export interface WaitingDescendant {
  run: FoundRun;
  question: Question;
}

/**
 * Descendants of a run that wait, oldest first. A run hears of a closed ask by signal, a moment after the answer was
 * taken; so each descendant is asked itself, or a read right after a 2xx might still show the answered ask.
 */
export async function descendantsWaiting(gateway: TemporalGateway, found: FoundRun): Promise<WaitingDescendant[]> {
  const named = await namedAsWaiting(gateway, found);
  const waiting = await mapInParallel(named, async (ask) => readWaiting(gateway, found, ask));
  return waiting.filter((descendant) => descendant !== null);
}

/** One descendant that a run knows to wait, read itself; null when it no longer waits with that ask. */
export async function readWaiting(
  gateway: TemporalGateway,
  found: FoundRun,
  { run_id, ask_id }: ChildAwaiting,
): Promise<WaitingDescendant | null> {
  const run = await readRun(gateway, run_id).catch(nullWhen('run_not_found'));
  const question = run?.snapshot.pending;
  const here = run?.identity.workspace === found.identity.workspace;
  return run && here && question?.ask_id === ask_id ? { run, question } : null;
}

/** Every ask below a run that it knows of, oldest first; with no worker, as many as the memo names. */
export async function namedAsWaiting(gateway: TemporalGateway, found: FoundRun): Promise<WaitingBelow[]> {
  if (found.closed) return [];
  const { children_awaiting, more_children_awaiting } = found.snapshot;
  if (!more_children_awaiting) return children_awaiting;
  try {
    return (await gateway.query<RunSnapshot>(found.runId, QUERIES.run.name)).children_awaiting;
  } catch {
    // No worker: the oldest ones, which the memo names, are what can be told.
    return children_awaiting;
  }
}

/**
 * Resolves when no descendant of a cancelled run waits any more, or after 2 s: they are cancelled one level after the
 * other, and whoever asked for it reads next.
 */
export async function untilNoneWaitsBelow(gateway: TemporalGateway, found: FoundRun): Promise<void> {
  const end = Date.now() + DEADLINES.barrier;
  while (Date.now() < end) {
    const waiting = await descendantsWaiting(gateway, found).catch(() => []);
    if (waiting.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Puts the record together. Clocks of people's waiting run on while a run is paused, so they are read off `now`. */
export function buildRecord(found: FoundRun, childrenAwaiting: ChildAwaiting[], now: number = Date.now()): RunRecord {
  const { identity, snapshot } = found;
  const pending = snapshot.pending;
  const end = snapshot.ended_at === null ? now : Date.parse(snapshot.ended_at);
  const total = Math.max(0, end - Date.parse(snapshot.created_at));
  const waitingNow = pending ? Math.max(0, end - Date.parse(pending.asked_at)) : 0;
  const waiting = Math.min(total, snapshot.waited_ms + waitingNow);
  return {
    run_id: found.runId,
    root_run_id: identity.root_run_id,
    parent_run_id: identity.parent_run_id,
    agent: identity.agent,
    status: snapshot.status,
    on_question: identity.on_question,
    assignee: identity.assignee,
    metadata: identity.metadata,
    pending_input_type: pending ? 'ask_human' : null,
    pending_input_schema: pending ? schemaOf(pending) : null,
    pending_input_context: pending,
    claim: claimOn(snapshot, new Date(now).toISOString()),
    // As the contract has them: which step they hang below is for the timeline alone.
    children_awaiting: childrenAwaiting.map(({ run_id, ask_id }) => ({ run_id, ask_id })),
    result: snapshot.result,
    error: snapshot.error,
    created_at: snapshot.created_at,
    updated_at: snapshot.updated_at,
    ended_at: snapshot.ended_at,
    active_ms: total - waiting,
    waiting_ms: waiting,
  };
}

const schemas = new Map<string, Record<string, unknown>>();
const KEPT_SCHEMAS = 500;

/** `pending_input_schema` of a question. Made once for each set of option ids: readers poll. */
export function schemaOf(question: Question): Record<string, unknown> {
  const key = [question.kind, ...(question.options ?? []).map((option) => option.id)].join(' ');
  const known = schemas.get(key);
  if (known) return known;
  const schema = pendingInputSchema(question);
  if (schemas.size >= KEPT_SCHEMAS) schemas.clear();
  schemas.set(key, schema);
  return schema;
}
