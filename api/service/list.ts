/** `GET /agents`: runs of a workspace, newest first. */
import type { temporal } from '@temporalio/proto';
import { z } from 'zod';
import type { RunRecord, RunStatus } from '../../workflows/contract';
import { nullWhen } from '../errors';
import type { Principal } from '../keys';
import { readCursor, writeCursor } from './cursor';
import type { TemporalGateway } from './gateway';
import { readRun } from './lookup';
import { mapInParallel } from './parallel';
import type { ListEntry } from './recent';
import { recordOf } from './record';
import { quoted } from './visibility-query';

export interface RunFilter {
  status?: RunStatus | undefined;
  agent?: string | undefined;
  assignee?: string | undefined;
  root_run_id?: string | undefined;
}

export interface RunPage {
  runs: RunRecord[];
  next_cursor: string | null;
}

/** Where a page ended: everything after it is older. Years far away are none that the search could be asked for. */
const cursorSchema = z.strictObject({
  started: z.iso.datetime().regex(/^2[01]\d\d-/),
  run_id: z.string().max(64),
});
type Cursor = z.infer<typeof cursorSchema>;

const FETCH = 1_000;
const WINDOWS_MS = [60_000, 3_600_000, 86_400_000, 30 * 86_400_000, Number.POSITIVE_INFINITY];

/** A run that was read for a list, at its place. */
interface Listed extends ListEntry {
  record: RunRecord;
}

/**
 * One page of runs. Visibility finds them and lags behind, so each is read again from the server and left out when the
 * filter no longer fits; `recent` names runs that it may not know yet. A run's place is when its newest execution
 * started, by which alone visibility can be paged through: one that has continued as new has moved up.
 */
export async function listRuns(
  gateway: TemporalGateway,
  principal: Principal,
  filter: RunFilter,
  page: { limit: number; cursor?: string | undefined; recent: readonly ListEntry[] },
): Promise<RunPage> {
  const cursor = page.cursor === undefined ? undefined : entryOf(readCursor(cursorSchema, page.cursor));
  const query = queryOf(principal, filter);
  const listed = new Map<string, Listed>();
  let after = cursor;
  for (;;) {
    const { entries, complete } = await newestEntries(gateway, query, after, page.limit);
    const until = complete ? undefined : entries.at(-1);
    const recent = page.recent.filter((entry) => isBetween(entry, after, until));
    const unread = unique([...recent, ...entries]).filter((runId) => !listed.has(runId));
    const read = await mapInParallel(unread, (runId) =>
      readListed(gateway, principal, runId).catch(nullWhen('run_not_found')),
    );
    for (const run of read) {
      // One that has moved up since was on an earlier page, or will be on the first page of the next walk.
      if (run && fits(run.record, filter) && isBetween(run, cursor, undefined)) listed.set(run.runId, run);
    }
    if (until === undefined || listed.size >= page.limit) return pageOf([...listed.values()], page.limit, until);
    after = until;
  }
}

/** The first `limit` runs; behind the last of them the next page begins. */
function pageOf(listed: Listed[], limit: number, more: ListEntry | undefined): RunPage {
  const sorted = listed.sort(newestFirst);
  const shown = sorted.slice(0, limit);
  const last = sorted.length > limit ? shown.at(-1) : more;
  return { runs: shown.map(({ record }) => record), next_cursor: last ? cursorAt(last) : null };
}

async function readListed(gateway: TemporalGateway, principal: Principal, runId: string): Promise<Listed | null> {
  const found = await readRun(gateway, runId);
  if (!found || found.identity.workspace !== principal.workspace) return null;
  return { runId, started: found.startedAt, record: await recordOf(gateway, found) };
}

function unique(entries: readonly ListEntry[]): string[] {
  return [...new Set(entries.map(({ runId }) => runId))];
}

function fits(record: RunRecord, filter: RunFilter): boolean {
  return (
    (filter.status === undefined || record.status === filter.status) &&
    (filter.agent === undefined || record.agent === filter.agent) &&
    (filter.assignee === undefined || record.assignee === filter.assignee) &&
    (filter.root_run_id === undefined || record.root_run_id === filter.root_run_id)
  );
}

/**
 * The next `limit` executions by start time. The server's own order puts open ones before closed ones, so a window of
 * time is widened until it holds enough, and sorted here.
 */
async function newestEntries(
  gateway: TemporalGateway,
  query: string,
  after: ListEntry | undefined,
  limit: number,
): Promise<{ entries: ListEntry[]; complete: boolean }> {
  const until = after ? Date.parse(after.started) : Date.now() + 60_000;
  for (const window of WINDOWS_MS) {
    const from = Number.isFinite(window) ? new Date(until - window).toISOString() : null;
    const bounds = [`StartTime <= '${new Date(until + 1).toISOString()}'`, ...(from ? [`StartTime >= '${from}'`] : [])];
    const found = await allEntries(gateway, [query, ...bounds].join(' AND '));
    const rest = found.filter((entry) => isBetween(entry, after, undefined)).sort(newestFirst);
    if (rest.length >= limit + 1) return { entries: rest.slice(0, limit), complete: false };
    if (from === null) return { entries: rest, complete: true };
  }
  return { entries: [], complete: true };
}

async function allEntries(gateway: TemporalGateway, query: string): Promise<ListEntry[]> {
  const entries: ListEntry[] = [];
  let token: Uint8Array | undefined;
  do {
    const { executions, nextPageToken } = await gateway.find(query, FETCH, token);
    for (const execution of executions) {
      const runId = execution.execution?.workflowId;
      if (runId) entries.push({ runId, started: isoOf(execution.startTime) });
    }
    token = nextPageToken && nextPageToken.length > 0 ? nextPageToken : undefined;
  } while (token);
  return entries;
}

function isoOf(time: temporal.api.workflow.v1.IWorkflowExecutionInfo['startTime']): string {
  return new Date(Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1_000_000)).toISOString();
}

function newestFirst(a: ListEntry, b: ListEntry): number {
  if (a.started !== b.started) return a.started < b.started ? 1 : -1;
  return a.runId < b.runId ? -1 : a.runId > b.runId ? 1 : 0;
}

/** Behind `after` and not behind `until`, in the order of the list; undefined is no bound. */
function isBetween(entry: ListEntry, after: ListEntry | undefined, until: ListEntry | undefined): boolean {
  return (!after || newestFirst(entry, after) > 0) && (!until || newestFirst(entry, until) <= 0);
}

function queryOf(principal: Principal, filter: RunFilter): string {
  const clauses = [`HoldpointWorkspace = ${quoted(principal.workspace)}`, `ExecutionStatus != 'ContinuedAsNew'`];
  if (filter.agent !== undefined) clauses.push(`HoldpointAgent = ${quoted(filter.agent)}`);
  if (filter.assignee !== undefined) clauses.push(`HoldpointAssignee = ${quoted(filter.assignee)}`);
  if (filter.root_run_id !== undefined) clauses.push(`HoldpointRootRunId = ${quoted(filter.root_run_id)}`);
  // Visibility lags: it only narrows, and the record decides. A run that was just answered may still be filed as waiting.
  if (filter.status === 'awaiting_input') clauses.push(`HoldpointStatus = 'awaiting_input'`);
  if (filter.status === 'running' || filter.status === 'awaiting_input') clauses.push(`ExecutionStatus = 'Running'`);
  else if (filter.status !== undefined) clauses.push(`ExecutionStatus != 'Running'`);
  return clauses.join(' AND ');
}

function cursorAt({ started, runId }: ListEntry): string {
  const cursor: Cursor = { started, run_id: runId };
  return writeCursor(cursor);
}

function entryOf({ started, run_id }: Cursor): ListEntry {
  return { started, runId: run_id };
}
