/** Counts of what a run's whole history holds, every execution of its chain. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { executionsOf } from './histories';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Every event of a run, the oldest first. */
export async function eventsOf(client: Client, runId: string): Promise<HistoryEvent[]> {
  return (await executionsOf(client, runId)).flatMap((execution) => execution.events);
}

/** Workflow tasks that workers have completed for a run: how often it was worked on. */
export async function workflowTasksOf(client: Client, runId: string): Promise<number> {
  const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED } = temporal.api.enums.v1.EventType;
  const events = await eventsOf(client, runId);
  return events.filter((event) => event.eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED).length;
}

/** Names of the signals that a run has got, in order. */
export async function signalsOf(client: Client, runId: string): Promise<string[]> {
  return (await eventsOf(client, runId))
    .map((event) => event.workflowExecutionSignaledEventAttributes?.signalName)
    .filter((name) => typeof name === 'string');
}
