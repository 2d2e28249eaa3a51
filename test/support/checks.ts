/** What CASES.md asks of every case, each written once: INVALID, NOTWAITING, a history without failed workflow tasks. */
import type { Client } from '@temporalio/client';
import type { RunRecord } from '../../workflows/contract';
import type { ApiCaller, Reply } from './http';

/**
 * INVALID: a JSON refusal that names the fault, and the run waits on with the same question under the same schema.
 * `before` is the record of the waiting run.
 */
export async function expectInvalid(api: ApiCaller, before: RunRecord, input: unknown): Promise<void> {
  const { status, body } = await api.resume(before.run_id, input);
  // The input stands in both, so that a failure says which of many it was.
  expect({ input, status, body }).toEqual({
    input,
    status: 422,
    body: { error: 'invalid_input', message: expect.any(String), issues: expect.any(Array) },
  });
  expect((body.issues as unknown[]).length).toBeGreaterThan(0);
  await expectStillWaiting(api, before);
}

/** The run waits, and nothing of its question has changed since `before`. */
export async function expectStillWaiting(api: ApiCaller, before: RunRecord): Promise<void> {
  const { pending_input_type, pending_input_schema, pending_input_context } = before;
  expect(before.status).toBe('awaiting_input');
  expect(await api.read(before.run_id)).toMatchObject({
    status: 'awaiting_input',
    pending_input_type,
    pending_input_schema,
    pending_input_context,
  });
}

/** NOTWAITING: 409, as JSON. */
export function expectNotWaiting(reply: Reply): void {
  expect({ status: reply.status, body: reply.body }).toEqual({
    status: 409,
    body: { error: expect.stringMatching(/^(run_not_waiting|ask_mismatch)$/), message: expect.any(String) },
  });
}

export const NOTHING_PENDING = {
  pending_input_type: null,
  pending_input_schema: null,
  pending_input_context: null,
} as const;

/** No workflow task of these runs has ever failed. For cases in which no worker is killed. */
export async function expectCleanHistories(client: Client, ...runIds: string[]): Promise<void> {
  for (const runId of runIds)
    expect({ runId, failed: await taskFailureCauses(client, runId) }).toEqual({ runId, failed: [] });
}

/**
 * Why workflow tasks of a run have failed, as the server names it. One that a termination cut off is left out: that is
 * how the server closes it, whatever the run did.
 */
export async function taskFailureCauses(client: Client, runId: string): Promise<string[]> {
  const { temporal } = await import('@temporalio/proto');
  const names = temporal.api.enums.v1.WorkflowTaskFailedCause as unknown as Record<number, string>;
  const { events } = await client.workflow.getHandle(runId).fetchHistory();
  expect(events?.length).toBeGreaterThan(0);
  return (events ?? [])
    .flatMap(({ workflowTaskFailedEventAttributes: failed }) => (failed ? [String(names[failed.cause ?? 0])] : []))
    .filter((cause) => !cause.endsWith('FORCE_CLOSE_COMMAND'));
}

/** Ids of steps that the event log leaves running or waiting. */
export function openSteps(events: { type: string; data: Record<string, unknown> }[]): unknown[] {
  const open = new Set<unknown>();
  for (const { type, data } of events) {
    if (type === 'step.started' || type === 'step.paused') open.add(data.step_id);
    else if (type === 'step.completed' || type === 'step.failed') open.delete(data.step_id);
  }
  return [...open];
}
