import type { EventData, EventPage, EventType, OwnEvent, RunEvent } from '../contract/events';
import { LIMITS } from '../contract/limits';
import { jsonBytes, type Json, type JsonObject } from '../contract/json';
import { cutLongTexts, cutValue, pageFrom } from './cut';

export interface EventLogData {
  /** Id of the newest event; 0 before the first. */
  last_id: number;
  events: RunEvent[];
}

/**
 * A run's events, in order, with ids that rise by one for as long as the run lives (CONTRACT §6). At least the last
 * 1,000 are kept.
 */
export class EventLog {
  constructor(
    private readonly data: EventLogData,
    private readonly runId: string,
  ) {}

  append<T extends EventType | OwnEvent['type']>(
    type: T,
    timestamp: string,
    data: T extends EventType ? EventData<T> : JsonObject,
  ): void {
    this.data.last_id += 1;
    this.data.events.push({ id: this.data.last_id, type, run_id: this.runId, timestamp, data } as RunEvent);
    // Dropped in batches, so that a long run does not move its whole log at each event.
    if (this.data.events.length >= 2 * LIMITS.keptEvents) this.data.events.splice(0, LIMITS.keptEvents);
  }

  get lastId(): number {
    return this.data.last_id;
  }

  /**
   * Events after `after`, at most `limit` and at most about 1 MB of them. A cursor older than what is kept, or ahead
   * of the newest event, gets `stream.reset` first and then what there is.
   */
  page(after: number, limit: number, timestamp: string): EventPage {
    const { events, last_id: last } = this.data;
    // Queries come by hand too: what is no number starts at the start, never a silent empty page.
    const cursor = Math.trunc(after) || 0;
    const first = events[0]?.id ?? 0;
    const lost = cursor > last || (events.length > 0 && cursor < first - 1);
    const start = lost || events.length === 0 ? 0 : Math.max(0, cursor - first + 1);
    const { taken, hasMore } = pageFrom(events, start, limit);
    if (lost) {
      const reset: EventData<'stream.reset'> = { first_event_id: first, last_event_id: last };
      // Its id is the one before what follows, so that a reader who stops right here resumes right there.
      const id = Math.max(0, first - 1);
      taken.unshift({ id, type: 'stream.reset', run_id: this.runId, timestamp, data: reset });
    }
    return { events: taken, first_event_id: first, last_event_id: last, has_more: hasMore };
  }

  /**
   * Makes the log fit through continue-as-new: the last 1,000 events, the oldest with their long texts cut; where that
   * is not enough, the oldest with little more than what happened to what.
   */
  trimForCarrying(): void {
    if (this.data.events.length > LIMITS.keptEvents) {
      this.data.events.splice(0, this.data.events.length - LIMITS.keptEvents);
    }
    cutLongTexts(this.data.events, LIMITS.carriedBytes);
    let total = jsonBytes(this.data.events);
    for (const [i, event] of this.data.events.entries()) {
      if (total <= LIMITS.carriedBytes) break;
      const bare = bareEvent(event);
      total += jsonBytes(bare) - jsonBytes(event);
      this.data.events[i] = bare;
    }
  }
}

const BARE_TEXT = 16;

/** An event with its ids and times whole and hardly any text: still of the event's form. */
function bareEvent(event: RunEvent): RunEvent {
  const data = Object.entries(event.data as Record<string, Json>).map(([key, value]) => [key, bareValue(key, value)]);
  return { ...event, data: Object.fromEntries(data) as unknown } as RunEvent;
}

function bareValue(key: string, value: Json): Json {
  if (key.endsWith('_id') || key === 'timestamp' || key === 'until') return value;
  if (key === 'issues' || key === 'attachments') return [];
  if (key === 'question' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { options, question } = value;
    return {
      ...value,
      question: cutValue(question ?? '', BARE_TEXT),
      context: null,
      options: options === null ? null : [],
      assignee: null,
    };
  }
  return cutValue(value, BARE_TEXT);
}
