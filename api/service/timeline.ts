/** The timeline of a run, and the one question that its conversation waits with as seen from there (CONTRACT §7). */
import { isTerminal, QUERIES, type Question, type Step, type StepsReply } from '../../workflows/contract';
import { ApiError } from '../errors';
import { DEADLINES, type TemporalGateway } from './gateway';
import type { FoundRun } from './lookup';
import { namedAsWaiting, readWaiting } from './record';

/** The oldest pending ask of a run and all below it. */
export interface Waiting {
  /** The run that asks, and that an answer goes to. */
  asker: FoundRun;
  question: Question;
  /** The step that it shows on: the ask's own, or the one that delegated to the asker. Null in old memos alone. */
  stepId: string | null;
}

export interface Timeline {
  run: FoundRun;
  /** Empty while no worker has told them. */
  steps: Step[];
  waiting: Waiting | null;
}

/**
 * Steps of runs that were read a moment ago. Nothing can have happened to a run whose history is as long as it was: so
 * whoever polls a run that waits for a person wakes no worker, and needs none.
 */
export class KnownSteps {
  private readonly replies = new Map<string, { at: string; reply: StepsReply }>();
  private steps = 0;

  get(run: FoundRun): StepsReply | null {
    const known = this.replies.get(run.runId);
    return known?.at === placeOf(run) ? known.reply : null;
  }

  /** `run` was read before the steps were asked for: what happened in between makes its history longer. */
  set(run: FoundRun, reply: StepsReply): void {
    this.forget(run.runId);
    this.replies.set(run.runId, { at: placeOf(run), reply });
    this.steps += reply.steps.length;
    for (const [oldest] of this.replies) {
      if (this.steps <= KEPT_STEPS && this.replies.size <= KEPT_RUNS) break;
      this.forget(oldest);
    }
  }

  private forget(runId: string): void {
    this.steps -= this.replies.get(runId)?.reply.steps.length ?? 0;
    this.replies.delete(runId);
  }
}

/** Some 10 MB at most. */
const KEPT_STEPS = 20_000;
const KEPT_RUNS = 2_000;

function placeOf({ executionId, historyLength }: FoundRun): string {
  return `${executionId} ${historyLength}`;
}

/**
 * The timeline of a found run. Needs no worker for its status and the question; the steps are left out while none
 * answers and none has told them before. `ask: false` does not even try.
 */
export async function timelineOf(
  gateway: TemporalGateway,
  found: FoundRun,
  known: KnownSteps,
  { ask = true }: { ask?: boolean } = {},
): Promise<Timeline> {
  const told = known.get(found) ?? (ask ? await askForSteps(gateway, found) : null);
  if (told) known.set(found, told);
  // Status and question as of the moment that the steps were told, or the two might contradict each other.
  const run = told && !found.closed ? { ...found, snapshot: { ...found.snapshot, ...told.now } } : found;
  return { run, steps: told?.steps ?? [], waiting: await oldestWaiting(gateway, run) };
}

async function askForSteps(gateway: TemporalGateway, found: FoundRun): Promise<StepsReply | null> {
  try {
    return await gateway.query<StepsReply>(found.runId, QUERIES.steps.name, undefined, DEADLINES.steps);
  } catch (error) {
    // No worker, or one of an older release that does not know the query: what the memo tells is told all the same.
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** The oldest pending ask, from memos alone: right at once after an answer, and with no worker up. */
export async function oldestWaiting(gateway: TemporalGateway, run: FoundRun): Promise<Waiting | null> {
  const { snapshot } = run;
  if (run.closed || isTerminal(snapshot.status)) return null;
  const own = snapshot.pending && { asker: run, question: snapshot.pending, stepId: snapshot.pending.ask_id };
  const below = await oldestBelow(gateway, run);
  // Of two of the same instant, the run's own was here first.
  return own && (!below || own.question.asked_at <= below.question.asked_at) ? own : below;
}

async function oldestBelow(gateway: TemporalGateway, run: FoundRun): Promise<Waiting | null> {
  const named = run.snapshot.children_awaiting;
  for (let at = 0, all = named; at < all.length; at += 1) {
    const ask = all[at];
    const waiting = ask && (await readWaiting(gateway, run, ask));
    if (waiting) return { asker: waiting.run, question: waiting.question, stepId: ask.step_id ?? null };
    // All that the memo had room for are answered, and the run has yet to hear of it.
    if (at + 1 === named.length && run.snapshot.more_children_awaiting) all = await namedAsWaiting(gateway, run);
  }
  return null;
}
