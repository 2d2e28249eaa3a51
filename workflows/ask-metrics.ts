/**
 * What happens to asks, counted where it happens: whichever door an answer came through, or none. Through the SDK's own
 * metrics, so nothing is added to a history and a replay counts nothing; they are exported by whoever runs the worker.
 */
import { metricMeter } from '@temporalio/workflow';
import { ASK_METRICS, type EventData, type EventType } from './contract';

/** Counts one event of a run. `waitingSince` is when the pause began that an answer ends. Never throws. */
export function countEvent<T extends EventType>(type: T, data: EventData<T>, waitingSince: string | null): void {
  const count = (name: string, tags: Record<string, string>, description: string) =>
    metricMeter.createCounter(name, undefined, description).add(1, tags);
  switch (type) {
    case 'ask.opened': {
      const { question } = data as EventData<'ask.opened'>;
      return count(ASK_METRICS.opened, { kind: question.kind }, 'Asks that were opened.');
    }
    case 'ask.answered':
    case 'ask.declined': {
      const { channel, by } = data as EventData<'ask.answered' | 'ask.declined'>;
      const tags = { channel, by, outcome: type === 'ask.answered' ? 'answered' : 'declined' };
      count(ASK_METRICS.answered, tags, 'Asks that somebody answered or declined.');
      return recordWait(waitingSince, channel);
    }
    case 'ask.expired':
    case 'ask.withdrawn': {
      const outcome = type === 'ask.expired' ? 'expired' : 'withdrawn';
      return count(ASK_METRICS.unanswered, { outcome }, 'Asks that were closed with no answer.');
    }
    case 'ask.rejected': {
      const { code, channel } = data as EventData<'ask.rejected'>;
      return count(ASK_METRICS.rejected, { code, channel }, 'Answers that reached a run and were refused there.');
    }
  }
}

function recordWait(since: string | null, channel: string): void {
  if (since === null) return;
  const seconds = Math.max(0, (Date.now() - Date.parse(since)) / 1_000);
  metricMeter
    .createHistogram(ASK_METRICS.timeToAnswer, 'float', 's', 'From the ask to its answer.')
    .record(seconds, { channel });
}
