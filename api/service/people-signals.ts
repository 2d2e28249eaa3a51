/** The signals of people in a history: who answers, and what. */
import type { LoadedDataConverter } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { tsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import { SIGNALS } from '../../workflows/contract';

const PEOPLES: ReadonlySet<string> = new Set([SIGNALS.answer.name, SIGNALS.claim.name, SIGNALS.release.name]);

/** A signal as the history has it; `judged` once a workflow task that had it has been completed. */
export interface QueuedSignal {
  name: string;
  payload: unknown;
  judged: boolean;
}

/**
 * Those that came after the workflow task which began at `since` (ISO 8601, the workflow's own time), in the order in which
 * they are judged. A signal that comes while a task is worked on has its place after that task, so the order of events says
 * it all.
 */
export async function peoplesSignals(
  newestFirst: readonly temporal.api.history.v1.IHistoryEvent[],
  since: string,
  converter: LoadedDataConverter,
): Promise<QueuedSignal[]> {
  const began = newestFirst.findIndex(
    (event) => event.workflowTaskStartedEventAttributes && since === new Date(tsToMs(event.eventTime)).toISOString(),
  );
  const completed = newestFirst.findIndex((event) => event.workflowTaskCompletedEventAttributes);
  const signals = newestFirst
    .slice(0, began < 0 ? undefined : began)
    .map((event, index) => ({
      signal: event.workflowExecutionSignaledEventAttributes,
      judged: completed >= 0 && index > completed,
    }))
    .filter(({ signal }) => PEOPLES.has(signal?.signalName ?? ''))
    .reverse();
  return Promise.all(
    signals.map(async ({ signal, judged }) => {
      const decoding = decodeArrayFromPayloads(converter, signal?.input?.payloads);
      return { name: signal?.signalName ?? '', payload: (await decoding.catch(() => []))[0], judged };
    }),
  );
}
