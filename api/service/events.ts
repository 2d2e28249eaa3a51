/** The events of a run, with the end that a run ended from outside could not write itself. */
import { isTerminal, QUERIES, TERMINAL_EVENTS, type EventPage, type RunEvent } from '../../workflows/contract';
import type { TemporalGateway } from './gateway';
import type { FoundRun } from './lookup';

/** One page of events after `after`. Needs a worker; `run` tells whether the run has ended. */
export async function eventPage(
  gateway: TemporalGateway,
  run: FoundRun,
  after: number,
  limit: number,
): Promise<EventPage> {
  const told = await gateway.query<EventPage>(run.runId, QUERIES.events.name, { after, limit });
  // Its newest execution may have been ended before a worker had taken it up: ids go on from the one before all the same.
  const page = { ...told, last_event_id: Math.max(told.last_event_id, run.snapshot.last_event_id) };
  const ending = run.closed ? await endingOf(gateway, run, page) : [];
  const last_event_id = ending.at(-1)?.id;
  if (last_event_id === undefined) return page;
  // Ahead of what the workflow wrote, but not of the ending: nothing was lost.
  const aheadOfLog = after > page.last_event_id && after <= last_event_id;
  if (page.has_more && !aheadOfLog) return { ...page, last_event_id };
  const events = aheadOfLog ? ending.filter((event) => event.id > after) : [...page.events, ...ending];
  // A reset comes on top of what was asked for.
  const room = limit + (events[0]?.type === 'stream.reset' ? 1 : 0);
  return { ...page, events: events.slice(0, room), last_event_id, has_more: events.length > room };
}

/**
 * A run that was terminated, or ran out of time, wrote no closing event: its question is withdrawn and it has failed
 * all the same, and whoever follows the stream is told so. The ids go on from the last one that was written.
 */
async function endingOf(gateway: TemporalGateway, run: FoundRun, page: EventPage): Promise<RunEvent[]> {
  if (run.snapshot.status === 'completed') return [];
  const newest = page.events.at(-1);
  if (newest && TERMINAL_EVENTS.has(newest.type)) return [];
  if (page.last_event_id > 0 && newest?.id !== page.last_event_id) {
    const tail = await gateway.query<EventPage>(run.runId, QUERIES.events.name, {
      after: page.last_event_id - 1,
      limit: 1,
    });
    if (tail.events.some((event) => TERMINAL_EVENTS.has(event.type))) return [];
  }
  if (!isTerminal(run.snapshot.status) || run.closedAt === null) return [];
  const common = { run_id: run.runId, timestamp: run.closedAt };
  const ending: RunEvent[] = [];
  const next = () => page.last_event_id + ending.length + 1;
  if (run.withdrawnAskId !== null) {
    ending.push({ ...common, id: next(), type: 'ask.withdrawn', data: { ask_id: run.withdrawnAskId } });
    // Its step is named by the ask's id, and must not look as if it waited on.
    const data = { step_id: run.withdrawnAskId, name: 'ask_a_human', status: 'cancelled' } as const;
    ending.push({ ...common, id: next(), type: 'step.failed', data });
  }
  const { error, status } = run.snapshot;
  if (status === 'cancelled') ending.push({ ...common, id: next(), type: 'run.cancelled', data: {} });
  else {
    const told = error ?? { code: 'failed', message: 'the workflow failed: see its history' };
    ending.push({ ...common, id: next(), type: 'run.failed', data: { error: told } });
  }
  return ending;
}
