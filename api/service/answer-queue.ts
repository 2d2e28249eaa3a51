/**
 * Where an answer stands among those that were sent for the same ask, told from the history alone: who has lost is known
 * although no worker says so, because none is up or because it is busy.
 */
import { isHeldByAnother, judgeAnswer, readAnswerSignal, SIGNALS, type AnswerSignal } from '../../workflows/contract';
import type { TemporalGateway } from './gateway';
import { claimOn, readRun, type FoundRun } from './lookup';
import type { QueuedSignal } from './people-signals';

export interface PlaceOfAnswer {
  /**
   * `first`: no worker has taken it up, and no good one is before it. `behind`: another one counts. `late`: the ask was
   * closed before it came. `judged`: a worker has taken it up, and what it said is to be asked for. `unknown`: the history
   * does not tell.
   */
  place: 'first' | 'behind' | 'late' | 'judged' | 'unknown';
  /** Of the first answer under the same id, once it was found: another body under the same key is a misuse of it. */
  digest?: string | null | undefined;
}

/** The place of `mine`, sent for the ask that `run` had pending when it was looked up. */
export async function placeOfAnswer(
  gateway: TemporalGateway,
  run: FoundRun,
  mine: AnswerSignal,
): Promise<PlaceOfAnswer> {
  const ask = run.snapshot.pending;
  if (!ask) return { place: 'unknown' };
  const signals = await gateway.signalsSince(run.runId, run.executionId, ask.asked_at).catch(() => null);
  // What has become of the ask, read after the signals: while it is open, none that was judged then has been taken.
  const now = await readRun(gateway, run.runId).catch(() => null);
  if (signals === null || now === null) return { place: 'unknown' };
  const isOpen = !now.closed && now.snapshot.pending?.ask_id === ask.ask_id;
  const isGood = (signal: AnswerSignal): boolean => {
    if (signal.ask_id !== undefined && signal.ask_id !== ask.ask_id) return false;
    if (isOpen && isHeldByAnother(claimOn(now.snapshot), signal.principal)) return false;
    return judgeAnswer(ask, signal.input, { approval: run.snapshot.approval, given_by: signal.given_by }).ok;
  };
  if (isOpen) return placeInOpenAsk(signals, mine, isGood);
  // No ask outlives its execution: what went to a later one came too late.
  return placeInClosedAsk(signals, mine, isGood) ?? { place: now.executionId === run.executionId ? 'unknown' : 'late' };
}

type IsGood = (signal: AnswerSignal) => boolean;

/** The first good one of those that nobody has judged yet wins. */
function placeInOpenAsk(signals: readonly QueuedSignal[], mine: AnswerSignal, isGood: IsGood): PlaceOfAnswer {
  for (const { name, payload, judged } of signals) {
    if (name !== SIGNALS.answer.name) {
      // Whose answer counts hangs on a claim that nobody has judged yet.
      if (!judged) return { place: 'unknown' };
      continue;
    }
    const read = readAnswerSignal(payload);
    if (!read.ok) continue;
    const { answer_id, digest = null } = read.value;
    if (answer_id === mine.answer_id) return { place: judged ? 'judged' : 'first', digest };
    if (!judged && isGood(read.value)) return { place: 'behind' };
  }
  return { place: 'unknown' };
}

/** The first good one was taken, if any was. Null when `mine` is not among them. */
function placeInClosedAsk(signals: readonly QueuedSignal[], mine: AnswerSignal, isGood: IsGood): PlaceOfAnswer | null {
  let behind = false;
  let claimed = false;
  const seen = new Set<string>();
  for (const { name, payload } of signals) {
    if (name !== SIGNALS.answer.name) {
      claimed = true;
      continue;
    }
    const read = readAnswerSignal(payload);
    if (!read.ok) continue;
    const { answer_id, digest = null } = read.value;
    if (answer_id === mine.answer_id) return { place: behind ? 'behind' : 'judged', digest };
    // Under an id that was used before, the first one counts; and which was taken hangs on who held the ask when.
    const again = answer_id !== undefined && seen.has(answer_id);
    if (!again && !claimed && isGood(read.value)) behind = true;
    if (answer_id !== undefined) seen.add(answer_id);
  }
  return null;
}
