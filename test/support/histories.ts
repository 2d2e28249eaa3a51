/** Histories as the server keeps them: what a run really did, whatever its record says. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

export interface Execution {
  executionId: string;
  events: HistoryEvent[];
}

/** Every execution of a run, oldest first: a run that continued as new is a chain of them. */
export async function executionsOf(client: Client, runId: string): Promise<Execution[]> {
  const chain: Execution[] = [];
  let executionId: string | undefined = (await client.workflow.getHandle(runId).describe()).runId;
  while (executionId) {
    const history = await client.workflow.getHandle(runId, executionId).fetchHistory();
    const events: HistoryEvent[] = history.events ?? [];
    chain.unshift({ executionId, events });
    executionId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  }
  return chain;
}

/** Causes of the failed workflow tasks of these runs, as `<run id> <cause>`: none in a healthy run. */
export async function failedTasks(client: Client, ...runIds: string[]): Promise<string[]> {
  const causes = temporal.api.enums.v1.WorkflowTaskFailedCause as unknown as Record<number, string>;
  const failed: string[] = [];
  for (const runId of runIds) {
    for (const { events } of await executionsOf(client, runId)) {
      for (const { workflowTaskFailedEventAttributes: attributes } of events) {
        if (attributes) failed.push(`${runId} ${causes[attributes.cause ?? 0]}`);
      }
    }
  }
  return failed;
}
