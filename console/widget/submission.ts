/** Sending one answer: once, whatever the network does. */
import { newKey } from '../../client/uuid';
import type { Answer, HoldpointError, Question, RunRecord } from '../../client';
import { OTHER_OPTION_ID } from '../../workflows/contract/ids';
import { trimText } from '../../workflows/contract/text';
import { failureOf, isPassing, type Connection } from '../net/connection';
import type { Closing } from './ask-session';
import type { Attempt } from './draft';

export type Outcome =
  | { kind: 'taken'; record: RunRecord }
  /** Durable, and judged when a worker is back. */
  | { kind: 'queued'; by: string | null }
  | { kind: 'refused'; failure: HoldpointError }
  /** Nobody knows whether it was taken: to be sent again under the same key. */
  | { kind: 'unknown'; failure: HoldpointError };

/** Pauses between rounds; in each the client itself tries twice. */
const PAUSES_MS = [500, 1_500, 4_000] as const;

/** The attempt for this body: the one that is under way when it carries the same body, or else a new one. */
export function attemptFor(body: Answer, before: Attempt | null): Attempt {
  if (before && JSON.stringify(before.body) === JSON.stringify(body)) return before;
  return { key: newKey(), body, queued: false, by: null };
}

/** Whether an ask was closed by this answer, as far as what became of it can tell. */
export function isClosedBy(body: Answer, question: Question, closing: Pick<Closing, 'outcome' | 'answer'>): boolean {
  switch (body.kind) {
    case 'decline':
      return closing.outcome === 'declined';
    case 'free_form':
      return closing.answer === trimText(body.text);
    case 'multiple_choice': {
      const label = question.options?.find((option) => option.id === body.option_id)?.label;
      return closing.answer === (body.option_id === OTHER_OPTION_ID ? trimText(body.other_text ?? '') : label);
    }
  }
}

/** Who is known to the server over this connection; null when it does not say. */
export async function callerOf({ client }: Connection): Promise<string | null> {
  try {
    const { workspace, name } = await client.me();
    return JSON.stringify([workspace, name]);
  } catch {
    return null;
  }
}

/** Sends it, and again under the same key while the server is away, for some seconds. Never throws. */
export async function submit(
  connection: Connection,
  target: { runId: string; askId: string },
  attempt: Attempt,
): Promise<Outcome> {
  for (let round = 0; ; round += 1) {
    try {
      const options = { askId: target.askId, idempotencyKey: attempt.key };
      const record = await connection.client.resume(target.runId, attempt.body, options);
      if (record.answer !== 'queued') return { kind: 'taken', record };
      return { kind: 'queued', by: await callerOf(connection) };
    } catch (error) {
      const failure = failureOf(error);
      if (!isPassing(failure)) return { kind: 'refused', failure };
      const pause = PAUSES_MS[round];
      if (pause === undefined) return { kind: 'unknown', failure };
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
