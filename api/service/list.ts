/** `GET /agents`: runs of a workspace, newest first. */
import type { temporal } from '@temporalio/proto';
import { z } from 'zod';
import type { RunRecord, RunStatus } from '../../workflows/contract';
import { ApiError } from '../errors';
import type { Principal } from '../keys';
import type { TemporalGateway } from './gateway';
import { readRun } from './lookup';
import { mapInParallel } from './parallel';
import { recordOf } from './record';

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
interface Entry {
  runId: string;
  started: string;
}

const FETCH = 1_000;
const WINDOWS_MS = [60_000, 3_600_000, 86_400_000, 30 * 86_400_000, Number.POSITIVE_INFINITY];

/**
 * One page of runs. Visibility finds them and lags behind, so each is read again from the server and left out when the
 * filter no longer fits; `recent` names runs that it may not know yet.
 */
export async function listRuns(
  gateway: TemporalGateway,
  principal: Principal,
  filter: RunFilter,
  page: { limit: number; cursor?: string | undefined; recent: readonly string[] },
): Promise<RunPage> {
  const cursor = page.cursor === undefined ? undefined : readCursor(page.cursor);
  const query = queryOf(principal, filter);
  const runs: RunRecord[] = [];
  let after = cursor;
  for (;;) {
    const { entries, complete } = await newestEntries(gateway, query, after, page.limit);
    const fresh = after ? [] : page.recent.filter((runId) => !entries.some((entry) => entry.runId === runId));
    const candidates = [...fresh.map((runId) => ({ runId, started: '' })), ...entries];
    const read = await mapInParallel(candidates, async ({ runId }) => readListed(gateway, principal, runId));
    runs.push(...read.filter((record) => record !== null).filter((record) => fits(record, filter)));
    const last = entries.at(-1);
    if (complete || !last) return cut(runs, page.limit, null);
    after = { started: last.started, run_id: last.runId };
    if (runs.length >= page.limit) return cut(runs, page.limit, after);
  }
}

/** `runs` may hold some more than the page when fresh ones came on top; those wait for nobody: they are older. */
function cut(runs: RunRecord[], limit: number, next: Cursor | null): RunPage {
  const sorted = runs.sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0));
  if (sorted.length <= limit) return { runs: sorted, next_cursor: next && writeCursor(next) };
  const shown = sorted.slice(0, limit);
  const last = shown.at(-1) as RunRecord;
  return { runs: shown, next_cursor: writeCursor({ started: last.created_at, run_id: last.run_id }) };
}

async function readListed(gateway: TemporalGateway, principal: Principal, runId: string): Promise<RunRecord | null> {
  try {
    const found = await readRun(gateway, runId);
    return found && found.identity.workspace === principal.workspace ? await recordOf(gateway, found) : null;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'run_not_found') return null;
    throw error;
  }
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
  after: Cursor | undefined,
  limit: number,
): Promise<{ entries: Entry[]; complete: boolean }> {
  const until = after ? Date.parse(after.started) : Date.now() + 60_000;
  for (const window of WINDOWS_MS) {
    const from = Number.isFinite(window) ? new Date(until - window).toISOString() : null;
    const bounds = [`StartTime <= '${new Date(until + 1).toISOString()}'`, ...(from ? [`StartTime >= '${from}'`] : [])];
    const found = await allEntries(gateway, [query, ...bounds].join(' AND '));
    const rest = found.filter((entry) => !after || isAfter(entry, after)).sort(newestFirst);
    if (rest.length >= limit + 1) return { entries: rest.slice(0, limit), complete: false };
    if (from === null) return { entries: rest, complete: true };
  }
  return { entries: [], complete: true };
}

async function allEntries(gateway: TemporalGateway, query: string): Promise<Entry[]> {
  const entries: Entry[] = [];
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

function newestFirst(a: Entry, b: Entry): number {
  if (a.started !== b.started) return a.started < b.started ? 1 : -1;
  return a.runId < b.runId ? -1 : 1;
}

function isAfter(entry: Entry, cursor: Cursor): boolean {
  return newestFirst(entry, { started: cursor.started, runId: cursor.run_id }) > 0;
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

/** A string literal of the visibility query language. */
function quoted(value: string): string {
  return `'${value.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}

function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function readCursor(text: string): Cursor {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch {
    throw new ApiError('malformed_request', 'cursor is not one that this API gave: leave it out to start over');
  }
}
