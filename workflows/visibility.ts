/**
 * What a run shows of itself with no worker up: its memo (the pending question), its search attributes (lists) and its
 * current details (the Web UI).
 */
import { defineSearchAttributeKey, type SearchAttributePair, type SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails, upsertMemo, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { LIMITS, MEMO_KEYS, type RunIdentity, type RunSnapshot } from './contract';
import { currentDetails } from './details';

const keys = {
  status: defineSearchAttributeKey('HoldpointStatus', 'KEYWORD'),
  agent: defineSearchAttributeKey('HoldpointAgent', 'KEYWORD'),
  root: defineSearchAttributeKey('HoldpointRootRunId', 'KEYWORD'),
  assignee: defineSearchAttributeKey('HoldpointAssignee', 'KEYWORD'),
  workspace: defineSearchAttributeKey('HoldpointWorkspace', 'KEYWORD'),
  askedAt: defineSearchAttributeKey('HoldpointAskedAt', 'DATETIME'),
};

/** Search attributes that a run begins, or goes on, with. */
export function searchAttributesOf(identity: RunIdentity, snapshot?: RunSnapshot): SearchAttributePair[] {
  const pairs: SearchAttributePair[] = [
    { key: keys.status, value: snapshot?.status ?? 'running' },
    { key: keys.agent, value: identity.agent },
    { key: keys.root, value: identity.root_run_id },
    { key: keys.workspace, value: identity.workspace },
  ];
  if (identity.assignee !== null) pairs.push({ key: keys.assignee, value: identity.assignee });
  if (snapshot?.pending) pairs.push({ key: keys.askedAt, value: new Date(snapshot.pending.asked_at) });
  return pairs;
}

/** The memo that a run begins with: who it is. Its state is written when there is something to tell. */
export function memoOf(identity: RunIdentity, snapshot?: RunSnapshot): Record<string, unknown> {
  return snapshot ? { [MEMO_KEYS.run]: identity, [MEMO_KEYS.state]: snapshot } : { [MEMO_KEYS.run]: identity };
}

/**
 * Publishes a run's snapshot. Each upsert is an event in the history, so attributes are written only when they change
 * and the memo of a completed run is not written at all where its result, in the closing event, tells the same
 * (`endInMemo` says that it does not).
 */
export class Visibility {
  private shown: { status: string; askedAt: string | null };

  constructor(
    identity: RunIdentity,
    snapshot: RunSnapshot,
    private readonly options: { endInMemo?: boolean } = {},
  ) {
    this.shown = { status: snapshot.status, askedAt: snapshot.pending?.asked_at ?? null };
    setCurrentDetails(currentDetails(snapshot, workflowInfo().workflowId));
    // Started by hand, not through the API or a parent: say who we are, or no reader would take it for a run.
    if (workflowInfo().memo?.[MEMO_KEYS.run] === undefined) {
      upsertMemo(memoOf(identity));
      upsertSearchAttributes(searchAttributesOf(identity));
    }
  }

  publish(snapshot: RunSnapshot): void {
    if (snapshot.status !== 'completed' || this.options.endInMemo) upsertMemo({ [MEMO_KEYS.state]: snapshot });
    const askedAt = snapshot.pending?.asked_at ?? null;
    const pairs: SearchAttributeUpdatePair[] = [];
    if (snapshot.status !== this.shown.status) pairs.push({ key: keys.status, value: snapshot.status });
    if (askedAt !== this.shown.askedAt) {
      pairs.push({ key: keys.askedAt, value: askedAt === null ? null : new Date(askedAt) });
    }
    if (pairs.length > 0) upsertSearchAttributes(pairs);
    this.shown = { status: snapshot.status, askedAt };
    setCurrentDetails(currentDetails(snapshot, workflowInfo().workflowId));
  }
}

/** The limit of descendants that the memo names, for `RunState.snapshot`. */
export const MEMO_CHILDREN = LIMITS.memoChildrenAwaiting;
