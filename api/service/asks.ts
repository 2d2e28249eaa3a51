/** `GET /agents/{id}/asks`: asks of a run and its descendants, oldest first. */
import {
  askOf,
  closedUnanswered,
  holderOf,
  QUERIES,
  type Ask,
  type AskPage,
  type Claim,
} from '../../workflows/contract';
import type { TemporalGateway } from './gateway';
import { claimOn, readRun, type FoundRun } from './lookup';
import { mapInParallel } from './parallel';
import { descendantsWaiting, schemaOf } from './record';

/** An ask as the list shows it: the question's own fields beside whose it is and how it ended. */
export type AskView = ReturnType<typeof askView>;

/** Pending asks: from memos alone, so no worker is needed, and right at once. */
export async function pendingAsks(gateway: TemporalGateway, found: FoundRun): Promise<AskView[]> {
  const waiting = await descendantsWaiting(gateway, found);
  const runs = waiting.map(({ run }) => run);
  // Of two of the same instant, the run's own was here first: the other had to climb.
  if (found.snapshot.pending) runs.unshift(found);
  return runs.flatMap((run) => pendingAsk(run) ?? []).sort(byTimeOfAsking);
}

/** Every ask that the run still knows, with how each ended. Needs a worker. */
export async function allAsks(gateway: TemporalGateway, found: FoundRun): Promise<AskView[]> {
  const asks = await askedOf(gateway, found.runId, 'all');
  return mapInParallel(asks, async (asked) => {
    if (asked.state !== 'pending') return askView(asked);
    const run = asked.run_id === found.runId ? found : await readRun(gateway, asked.run_id);
    const ask = await asItIsNow(gateway, found, asked, run);
    return askView(ask, run && claimOn(run.snapshot));
  });
}

/** An ask that `found` knows as pending, as the run that asks it has it. */
async function asItIsNow(gateway: TemporalGateway, found: FoundRun, ask: Ask, asker: FoundRun | null): Promise<Ask> {
  // Ended from outside: its workflow could not close the ask, and nobody can answer it any more.
  if (asker?.withdrawnAskId === ask.ask_id && asker.closedAt !== null) {
    return askOf(ask.run_id, ask.question, closedUnanswered('withdrawn', asker.closedAt));
  }
  if (ask.run_id === found.runId) return ask;
  // What a descendant has closed a moment ago, this run has yet to hear.
  const theirs = await askedOf(gateway, ask.run_id, 'all');
  return theirs.find((other) => other.run_id === ask.run_id && other.ask_id === ask.ask_id) ?? ask;
}

async function askedOf(gateway: TemporalGateway, runId: string, state: 'pending' | 'all'): Promise<Ask[]> {
  const asks: Ask[] = [];
  for (;;) {
    const page = await gateway.query<AskPage>(runId, QUERIES.asks.name, { state, from: asks.length });
    asks.push(...page.asks);
    if (!page.has_more || page.asks.length === 0) return asks;
  }
}

function byTimeOfAsking(a: AskView, b: AskView): number {
  const [first, second] = [a.asked_at, b.asked_at];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The pending ask of a run as lists show it at `now` (ISO 8601), with who holds it; null when it waits with none. */
export function pendingAsk(run: FoundRun, now?: string): AskView | null {
  const { pending } = run.snapshot;
  return pending && askView(askOf(run.runId, pending, null), claimOn(run.snapshot, now));
}

/** One ask as lists show it, and who holds it: `claim` is whatever claim its run has. */
export function askView(ask: Ask, claim: Claim | null = null) {
  const { closing } = ask;
  return {
    run_id: ask.run_id,
    ...ask.question,
    state: ask.state,
    pending_input_schema: closing ? null : schemaOf(ask.question),
    closed_at: closing?.closed_at ?? null,
    answer: closing?.answer ?? null,
    option_id: closing?.option_id ?? null,
    message: closing?.message ?? null,
    principal: closing?.principal ?? null,
    channel: closing?.channel ?? null,
    by: closing?.by ?? null,
    given_by: closing?.given_by ?? null,
    attachments: closing?.attachments ?? [],
    claim: holderOf(claim?.ask_id === ask.ask_id ? claim : null),
  };
}
