import { OWN_EVENT_PREFIX, type EventPage, type RunEvent } from '../../workflows/contract';
import type { MissionEvent } from './schemas';

/** An event of a run with the names that Mission Control uses. What an agent or a person wrote stays as it is. */
export function missionEvent({ id, type, run_id, timestamp, data }: RunEvent): MissionEvent {
  const shown = type.startsWith(OWN_EVENT_PREFIX) ? { ...data } : camelCased(data);
  return { id, type, orchestratorRunId: run_id, timestamp, data: shown };
}

export function missionEventPage(runId: string, page: EventPage) {
  return {
    orchestratorRunId: runId,
    events: page.events.map(missionEvent),
    firstEventId: page.first_event_id,
    lastEventId: page.last_event_id,
    hasMore: page.has_more,
  };
}

/** Fields that hold objects of ours. A run's `result` is its agent's: its keys are nobody's to rename. */
const OURS: ReadonlySet<string> = new Set(['question', 'attachments']);

function camelCased(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [
      key.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
      OURS.has(key) ? innerCamelCased(inner) : inner,
    ]),
  );
}

function innerCamelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(innerCamelCased);
  return typeof value === 'object' && value !== null ? camelCased(value) : value;
}
