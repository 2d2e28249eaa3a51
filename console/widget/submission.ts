/** Sending one answer: once, whatever the network does. */
import type { Answer, RunRecord } from '../../workflows/contract';
import { ApiFailure, randomKey, type Api } from '../net/api';
import type { Attempt } from './draft';

export type Outcome =
  | { kind: 'taken'; record: RunRecord }
  /** Durable, and judged when a worker is back. */
  | { kind: 'queued'; record: RunRecord }
  | { kind: 'refused'; failure: ApiFailure }
  /** Nobody knows whether it was taken: to be sent again under the same key. */
  | { kind: 'unknown'; failure: ApiFailure };

const PAUSES_MS = [400, 1_200, 3_000] as const;
const LONGEST_PAUSE_MS = 8_000;

/** The attempt for this body: the one that is under way when it carries the same body, or else a new one. */
export function attemptFor(body: Answer, before: Attempt | null): Attempt {
  if (before && JSON.stringify(before.body) === JSON.stringify(body)) return before;
  return { key: randomKey(), body, queued: false };
}

/** Sends it, and again under the same key while the server is away, for some seconds. Never throws. */
export async function submit(
  api: Api,
  target: { runId: string; askId: string },
  attempt: Attempt,
  onRetry: () => void,
): Promise<Outcome> {
  for (let tries = 0; ; tries += 1) {
    try {
      const { status, body } = await api.call<RunRecord & { answer?: string }>(
        'POST',
        `/agents/${encodeURIComponent(target.runId)}/resume`,
        { body: { input: attempt.body, ask_id: target.askId }, headers: { 'idempotency-key': attempt.key } },
      );
      return { kind: status === 202 ? 'queued' : 'taken', record: body };
    } catch (error) {
      const failure = error instanceof ApiFailure ? error : new ApiFailure(0, 'unreachable', String(error));
      if (!failure.isPassing) return { kind: 'refused', failure };
      const pause = PAUSES_MS[tries];
      if (pause === undefined) return { kind: 'unknown', failure };
      onRetry();
      await new Promise((resolve) =>
        setTimeout(resolve, Math.min(Math.max(pause, failure.retryAfterMs ?? 0), LONGEST_PAUSE_MS)),
      );
    }
  }
}
