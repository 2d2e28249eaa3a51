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
  const page = await gateway.query<EventPage>(run.runId, QUERIES.events.name, { after, limit });
  if (!run.closed || page.has_more) return page;
  const ending = await endingOf(gateway, run, page);
  if (ending.length === 0) return page;
  const last_event_id = ending.at(-1)?.id ?? page.last_event_id;
  // Ahead of what the workflow wrote, but not of the ending: nothing was lost.
  const aheadOfLog = after > page.last_event_id && after <= last_event_id;
  const events = [...(aheadOfLog ? [] : page.events), ...ending.filter((event) => !aheadOfLog || event.id > after)];
  return { ...page, events, last_event_id };
}

/**
 * A run that was terminated, or ran out of time, wrote no closing event: its question is withdrawn and it has failed
 * all the same, and whoever follows the stream is told so. The ids go on from the last one that was written.
 */
async function endingOf(gateway: TemporalGateway, run: FoundRun, page: EventPage): Promise<RunEvent[]> {
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
