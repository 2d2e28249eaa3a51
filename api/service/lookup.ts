/** Finding a run, for one principal: from `describe` alone, so it works with no worker up. */
import type { WorkflowExecutionDescription } from '@temporalio/client';
import {
  isRunId,
  liveClaim,
  MEMO_KEYS,
  newRunSnapshot,
  type Claim,
  type RunIdentity,
  type RunSnapshot,
} from '../../workflows/contract';
import { runNotFound } from '../errors';
import type { Principal } from '../keys';
import type { TemporalGateway } from './gateway';

/** A run as the server knows it. */
export interface FoundRun {
  runId: string;
  /** Id of the newest execution: a run may be a chain of them. */
  executionId: string;
  /** Events in the history of that execution. */
  historyLength: number;
  /** When that execution started. */
  startedAt: string;
  identity: RunIdentity;
  /** As last written by the workflow, and as it is when the server knows better: a closed run waits for nobody. */
  snapshot: RunSnapshot;
  /** True once the workflow is closed. */
  closed: boolean;
  closedAt: string | null;
  /** The ask that was pending when the run was ended from outside, so that it could not close it itself. */
  withdrawnAskId: string | null;
}

/** The claim on the pending ask, as it counts at `now` (ISO 8601). */
export function claimOn({ claim, pending }: RunSnapshot, now: string = new Date().toISOString()): Claim | null {
  return liveClaim(claim, pending, now);
}

/** Looks a run up. Everything that is not a run of the principal's workspace is one and the same `run_not_found`. */
export async function findRun(gateway: TemporalGateway, principal: Principal, runId: string): Promise<FoundRun> {
  if (!isRunId(runId)) throw runNotFound();
  const found = await readRun(gateway, runId);
  if (!found || found.identity.workspace !== principal.workspace) throw runNotFound();
  return found;
}

/** Reads a run whoever asks; null when the workflow is not a run. For ids that a run of the caller's has named. */
export async function readRun(gateway: TemporalGateway, runId: string): Promise<FoundRun | null> {
  const description = await gateway.describe(runId);
  const identity = description.memo?.[MEMO_KEYS.run] as RunIdentity | undefined;
  if (identity === undefined) return null;
  const written = description.memo?.[MEMO_KEYS.state] as RunSnapshot | undefined;
  const snapshot = written ?? newRunSnapshot(description.startTime.toISOString());
  const closed = description.status.name !== 'RUNNING';
  const found: FoundRun = {
    runId,
    executionId: description.runId,
    historyLength: description.historyLength,
    startedAt: description.startTime.toISOString(),
    identity,
    snapshot,
    closed,
    closedAt: closed ? (description.closeTime ?? description.startTime).toISOString() : null,
    withdrawnAskId: null,
  };
  if (closed) {
    found.snapshot = await closedSnapshot(gateway, found, description);
    found.withdrawnAskId = found.snapshot === snapshot ? null : endedWithAsk(description, snapshot);
  }
  return found;
}

async function closedSnapshot(
  gateway: TemporalGateway,
  found: FoundRun,
  description: WorkflowExecutionDescription,
): Promise<RunSnapshot> {
  const { snapshot, closedAt } = found;
  if (description.status.name === 'COMPLETED') {
    // A workflow of a team's own writes its end into the memo; an agent's is in what it hands back.
    if (snapshot.status === 'completed') return snapshot;
    return (await gateway.outcome(found.runId, found.executionId)).snapshot;
  }
  // Failed or cancelled by its own doing: it wrote down how.
  if (snapshot.status === 'failed' || snapshot.status === 'cancelled') return snapshot;
  // Ended from outside, so its last word is not about its end.
  const end = endedFromOutside(description.status.name);
  const ended: RunSnapshot = {
    ...snapshot,
    ...end,
    pending: null,
    children_awaiting: [],
    more_children_awaiting: false,
    updated_at: closedAt ?? snapshot.updated_at,
    ended_at: closedAt,
  };
  if (snapshot.pending && closedAt) {
    ended.waited_ms += Math.max(0, Date.parse(closedAt) - Date.parse(snapshot.pending.asked_at));
  }
  return ended;
}

function endedWithAsk(description: WorkflowExecutionDescription, last: RunSnapshot): string | null {
  return description.status.name === 'COMPLETED' ? null : (last.pending?.ask_id ?? null);
}

function endedFromOutside(
  status: WorkflowExecutionDescription['status']['name'],
): Pick<RunSnapshot, 'status' | 'error'> {
  if (status === 'CANCELLED') return { status: 'cancelled', error: null };
  if (status === 'TERMINATED') return { status: 'failed', error: { code: 'terminated', message: 'was terminated' } };
  if (status === 'TIMED_OUT') {
    return { status: 'failed', error: { code: 'timed_out', message: 'did not end in the time it had' } };
  }
  return { status: 'failed', error: { code: 'failed', message: 'the workflow failed: see its history' } };
}
