/** While a person is asked here, others may answer there: the prompt is closed then, not left open for nothing. */
import type { Ask, HoldpointClient } from '../../client';
import { CommandError, EXIT } from './exit';

const CLOSINGS: Record<string, string> = {
  'ask.answered': 'somebody else has answered it',
  'ask.declined': 'somebody else has declined it',
  'ask.expired': 'its time is over',
  'ask.withdrawn': 'the run has ended',
};

/** A signal that is aborted when the ask is closed by another, or with `signal`. */
export function closedElsewhere(
  client: HoldpointClient,
  ask: Ask,
  signal: AbortSignal,
): { signal: AbortSignal; stop: () => void } {
  const watch = new AbortController();
  const closed = new AbortController();
  const both = AbortSignal.any([signal, closed.signal]);
  void (async () => {
    for await (const event of client.watch(ask.run_id, { signal: AbortSignal.any([signal, watch.signal]) })) {
      const why = CLOSINGS[event.type];
      if (why === undefined || (event.data as { ask_id?: string }).ask_id !== ask.ask_id) continue;
      closed.abort(new CommandError(`${ask.ask_id} is closed: ${why}`, EXIT.conflict, 'run_not_waiting'));
      return;
    }
  })().catch(() => {
    // Without the stream the prompt goes on, and the API says at the end who was first.
  });
  return { signal: both, stop: () => watch.abort() };
}
