/** Events of a run, and changes of the inbox, as async iterators. */
import type { EventType } from '../workflows/contract';
import { frames, type WatchOptions } from './stream';
import type { Transport } from './transport';
import type { InboxEvent, InboxFilter, RunEvent } from './types';

export interface WatchRunOptions extends WatchOptions {
  /** Id of the last event that is known already: only later ones come. */
  after?: number | undefined;
}

/** Whether a run has ended with an event. A type that the contract adds has to be put in here before this compiles. */
export const ENDS: Record<Extract<EventType, `run.${string}`>, boolean> = {
  'run.started': false,
  'run.completed': true,
  'run.failed': true,
  'run.cancelled': true,
};

export async function* watchRun(
  transport: Transport,
  path: string,
  { after, ...options }: WatchRunOptions,
): AsyncGenerator<RunEvent, void, undefined> {
  let seen = after ?? 0;
  const cursor = after === undefined ? undefined : String(after);
  for await (const frame of frames(transport, { path }, cursor, options)) {
    const event = JSON.parse(frame.data) as RunEvent;
    // A reset starts anew, with lower ids too.
    if (event.type !== 'stream.reset' && event.id <= seen) continue;
    seen = event.id;
    yield event;
    if (ENDS[event.type as keyof typeof ENDS]) return;
  }
}

export async function* watchInbox(
  transport: Transport,
  path: string,
  filter: InboxFilter,
  options: WatchOptions,
): AsyncGenerator<InboxEvent, void, undefined> {
  const query = { ...filter } as Record<string, string | number | undefined>;
  for await (const frame of frames(transport, { path, query }, undefined, options)) {
    yield { type: frame.event, data: JSON.parse(frame.data) as unknown } as InboxEvent;
  }
}
