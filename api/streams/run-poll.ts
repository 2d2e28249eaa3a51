/** Hearing at once that something happened in a run: a long poll on its history, which wakes no worker. */
import { temporal } from '@temporalio/proto';
import { ApiError } from '../errors';
import type { TemporalGateway } from '../service/gateway';

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED } = temporal.api.enums.v1.EventType;
const RETRY_MS = [200, 500, 1_000, 2_000] as const;

export interface PolledRun {
  runId: string;
  executionId: string;
  /** Events that are known already. */
  historyLength: number;
}

/**
 * Calls `onNews` whenever a worker has worked on the run, and `onEnd` once when this execution is over (the run may have
 * continued as new). Returns what stops it; stopped, it calls nothing any more.
 */
export function pollRun(
  gateway: TemporalGateway,
  run: PolledRun,
  { onNews, onEnd }: { onNews: () => void; onEnd: () => void },
): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  void (async () => {
    let token: Uint8Array | undefined;
    for (let failures = 0; !signal.aborted;) {
      try {
        const position = { executionId: run.executionId, token };
        const { history, nextPageToken } = await gateway.pollHistory(run.runId, position, signal);
        if (signal.aborted) return;
        failures = 0;
        const isNews = (event: temporal.api.history.v1.IHistoryEvent) =>
          event.eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED && Number(event.eventId ?? 0) > run.historyLength;
        if (!nextPageToken || nextPageToken.length === 0) return onEnd();
        if (history?.events?.some(isNews)) onNews();
        token = nextPageToken;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.code === 'run_not_found') return onEnd();
        await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] as number);
        failures += 1;
      }
    }
  })();
  return () => abort.abort();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
