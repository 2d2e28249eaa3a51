/** A pending ask as the inbox shows it, read from the server itself: no worker is needed, and it is right at once. */
import { nullWhen } from '../errors';
import { pendingAsk, type AskView } from './asks';
import type { TemporalGateway } from './gateway';
import { readRun, type FoundRun } from './lookup';

export interface InboxAsk extends AskView {
  root_run_id: string;
  parent_run_id: string | null;
  agent: string;
}

export interface InboxFilter {
  agent?: string | undefined;
  /** Who the ask itself is for. */
  assignee?: string | undefined;
}

/** Where an ask stands in the inbox: by time of asking, ties by run id. */
export interface InboxPlace {
  asked_at: string;
  run_id: string;
}

/** What one look at a run told. */
export interface InboxRun {
  run: FoundRun;
  /** Its own pending ask. */
  ask: InboxAsk | null;
}

/** Reads a run of this workspace; null when there is none. */
export async function readInboxRun(
  gateway: TemporalGateway,
  workspace: string,
  runId: string,
): Promise<InboxRun | null> {
  const run = await readRun(gateway, runId).catch(nullWhen('run_not_found'));
  if (!run || run.identity.workspace !== workspace) return null;
  return { run, ask: inboxAskOf(run) };
}

/** Sub-agents that a run knows to wait: they are found through it even while visibility has not heard of them. */
export function waitingBelow({ run }: InboxRun): string[] {
  return run.closed ? [] : run.snapshot.children_awaiting.map(({ run_id }) => run_id);
}

/** The pending ask of a run as the inbox shows it at `now`. */
export function inboxAskOf(run: FoundRun, now?: string): InboxAsk | null {
  const ask = pendingAsk(run, now);
  if (!ask) return null;
  const { identity } = run;
  return {
    ...ask,
    root_run_id: identity.root_run_id,
    parent_run_id: identity.parent_run_id,
    agent: identity.agent,
  };
}

export function oldestFirst(a: InboxPlace, b: InboxPlace): number {
  if (a.asked_at !== b.asked_at) return a.asked_at < b.asked_at ? -1 : 1;
  return a.run_id < b.run_id ? -1 : a.run_id > b.run_id ? 1 : 0;
}

export function fitsInbox(ask: Pick<InboxAsk, 'agent' | 'assignee'>, filter: InboxFilter): boolean {
  return (
    (filter.agent === undefined || ask.agent === filter.agent) &&
    (filter.assignee === undefined || ask.assignee === filter.assignee)
  );
}
