/** `GET /agents/{id}/asks`: asks of a run and its descendants, oldest first. */
import { askOf, closedUnanswered, QUERIES, type Ask, type AskPage } from '../../workflows/contract';
import type { TemporalGateway } from './gateway';
import { readRun, type FoundRun } from './lookup';
import { mapInParallel } from './parallel';
import { descendantsWaiting, schemaOf } from './record';

/** An ask as the list shows it: the question's own fields beside whose it is and how it ended. */
export type AskView = ReturnType<typeof askView>;

/** Pending asks: from memos alone, so no worker is needed, and right at once. */
export async function pendingAsks(gateway: TemporalGateway, found: FoundRun): Promise<AskView[]> {
  const waiting = await descendantsWaiting(gateway, found);
  const asks = waiting.map(({ run, question }) => askOf(run.runId, question, null));
  // Of two of the same instant, the run's own was here first: the other had to climb.
  if (found.snapshot.pending) asks.unshift(askOf(found.runId, found.snapshot.pending, null));
  return asks.sort(byTimeOfAsking).map(askView);
}

/** Every ask that the run still knows, with how each ended. Needs a worker. */
export async function allAsks(gateway: TemporalGateway, found: FoundRun): Promise<AskView[]> {
  const asks = await askedOf(gateway, found.runId, 'all');
  const current = await mapInParallel(asks, async (ask) => {
    if (ask.state !== 'pending') return ask;
    const run = ask.run_id === found.runId ? found : await readRun(gateway, ask.run_id);
    // Ended from outside: its workflow could not close the ask, and nobody can answer it any more.
    if (run?.withdrawnAskId === ask.ask_id && run.closedAt !== null) {
      return askOf(ask.run_id, ask.question, closedUnanswered('withdrawn', run.closedAt));
    }
    if (ask.run_id === found.runId) return ask;
    // What a descendant has closed a moment ago, this run has yet to hear.
    const theirs = await askedOf(gateway, ask.run_id, 'all');
    return theirs.find((other) => other.run_id === ask.run_id && other.ask_id === ask.ask_id) ?? ask;
  });
  return current.map(askView);
}

async function askedOf(gateway: TemporalGateway, runId: string, state: 'pending' | 'all'): Promise<Ask[]> {
  const asks: Ask[] = [];
  for (;;) {
    const page = await gateway.query<AskPage>(runId, QUERIES.asks.name, { state, from: asks.length });
    asks.push(...page.asks);
    if (!page.has_more || page.asks.length === 0) return asks;
  }
}

function byTimeOfAsking(a: Ask, b: Ask): number {
  const [first, second] = [a.question.asked_at, b.question.asked_at];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** One ask as lists show it. */
export function askView(ask: Ask) {
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
  };
}
