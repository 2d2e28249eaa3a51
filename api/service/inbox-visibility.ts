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

/** Of the runs that are not filed as waiting, so many of those that started last are looked at in any case. */
export const MAX_FILED_RUNNING = 200;
/** Above this many waiting runs the oldest filed ones are beyond the inbox: nobody could page through them. */
const MAX_FILED_WAITING = 20_000;
/** Executions come with their memos, questions included: a page of the largest ones has to fit a message. */
const FETCH = 200;

/** Open runs on file: those that wait, and of the others the newest. Two calls, and one more for each 200 that wait. */
export async function filedRuns(gateway: TemporalGateway, workspace: string): Promise<FiledRun[]> {
  const open = `HoldpointWorkspace = ${quoted(workspace)} AND ExecutionStatus = 'Running'`;
  const [waiting, running] = await Promise.all([
    filed(gateway, `${open} AND HoldpointStatus = 'awaiting_input'`, MAX_FILED_WAITING),
    filed(gateway, `${open} AND HoldpointStatus != 'awaiting_input'`, MAX_FILED_RUNNING),
  ]);
  return [...waiting, ...running.map((run) => ({ ...run, askedAt: null }))];
}

async function filed(gateway: TemporalGateway, query: string, max: number): Promise<FiledRun[]> {
  const runs: FiledRun[] = [];
  let token: Uint8Array | undefined;
  do {
    const { executions, nextPageToken } = await gateway.find(query, FETCH, token);
    for (const execution of executions) runs.push(filedRun(execution));
    token = nextPageToken && nextPageToken.length > 0 ? nextPageToken : undefined;
  } while (token && runs.length < max);
  return runs.slice(0, max);
}

function filedRun(execution: temporal.api.workflow.v1.IWorkflowExecutionInfo): FiledRun {
  const fields = execution.searchAttributes?.indexedFields ?? {};
  const askedAt = Date.parse(attribute(fields.HoldpointAskedAt) ?? '');
  return {
    runId: execution.execution?.workflowId ?? '',
    askedAt: new Date(Number.isNaN(askedAt) ? 0 : askedAt).toISOString(),
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
