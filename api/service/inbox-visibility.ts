/**
 * What visibility has on file about the open runs of a workspace. It is an index that Temporal brings up to date a
 * moment, and when it is busy some seconds, late; so this names runs to look at, and says nothing about them.
 */
import type { temporal } from '@temporalio/proto';
import type { TemporalGateway } from './gateway';
import { oldestFirst } from './inbox-asks';
import { quoted } from './visibility-query';

/** An open run as visibility has it on file. */
export interface FiledRun {
  runId: string;
  /** When the ask was opened with which it waits on file; null when it is filed as running. */
  askedAt: string | null;
  agent: string | null;
  assignee: string | null;
}

export type WaitingRun = FiledRun & { askedAt: string };

export function isFiledAsWaiting(run: FiledRun): run is WaitingRun {
  return run.askedAt !== null;
}

/** The oldest asks first, by what is on file. */
export function byTimeOnFile(a: WaitingRun, b: WaitingRun): number {
  return oldestFirst({ asked_at: a.askedAt, run_id: a.runId }, { asked_at: b.askedAt, run_id: b.runId });
}

/** Above this many waiting runs the rest is beyond the inbox: nobody could page through them. */
const MAX_WAITING = 20_000;
/** Executions come with their memos, questions included: a page of the largest ones has to fit a message. */
const FETCH = 500;

/** All open runs on file that wait, and of the others those that started last. One call, as long as there are at most 500. */
export async function filedRuns(gateway: TemporalGateway, workspace: string): Promise<FiledRun[]> {
  const open = openRuns(workspace);
  const { executions, nextPageToken } = await gateway.find(open, FETCH);
  const newest = executions.map(filedRun);
  if (!nextPageToken || nextPageToken.length === 0) return newest;
  const waiting: FiledRun[] = [];
  let token: Uint8Array | undefined;
  do {
    const page = await gateway.find(`${open} AND HoldpointStatus = 'awaiting_input'`, FETCH, token);
    waiting.push(...page.executions.map(filedRun));
    token = page.nextPageToken && page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
  } while (token && waiting.length < MAX_WAITING);
  return [...waiting.filter(isFiledAsWaiting), ...newest.filter((run) => !isFiledAsWaiting(run))];
}

/** Open runs that by what is on file started, or asked, since some moment (ISO 8601). One call: the newest 500. */
export async function filedSince(gateway: TemporalGateway, workspace: string, since: string): Promise<FiledRun[]> {
  const isNew = `(StartTime >= '${since}' OR HoldpointAskedAt >= '${since}')`;
  const { executions } = await gateway.find(`${openRuns(workspace)} AND ${isNew}`, FETCH);
  return executions.map(filedRun);
}

function openRuns(workspace: string): string {
  return `HoldpointWorkspace = ${quoted(workspace)} AND ExecutionStatus = 'Running'`;
}

function filedRun(execution: temporal.api.workflow.v1.IWorkflowExecutionInfo): FiledRun {
  const fields = execution.searchAttributes?.indexedFields ?? {};
  const waits = attribute(fields.HoldpointStatus) === 'awaiting_input';
  const askedAt = Date.parse(attribute(fields.HoldpointAskedAt) ?? '');
  return {
    runId: execution.execution?.workflowId ?? '',
    askedAt: waits ? new Date(Number.isNaN(askedAt) ? 0 : askedAt).toISOString() : null,
    agent: attribute(fields.HoldpointAgent),
    assignee: attribute(fields.HoldpointAssignee),
  };
}

/** Search attributes are never encoded: their payloads are plain JSON. */
function attribute(payload: temporal.api.common.v1.IPayload | null | undefined): string | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload?.data ?? []).toString('utf8'));
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
