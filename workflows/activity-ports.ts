/** Activities as workflows see them, with their timeouts and retries: set here, on purpose, and nowhere else. */
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { ToolDefinition } from './contract';

/**
 * A model turn may take minutes, so its worker reports life: a worker that dies is noticed after the heartbeat timeout
 * and the turn is given to another one. Bad keys and bad requests are marked non-retryable where they are thrown.
 */
export const { modelTurn } = proxyActivities<Pick<Activities, 'modelTurn'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 8 },
});

/** Appends a line to a file: milliseconds of work, safe to repeat. */
export const { recordEffect } = proxyActivities<Pick<Activities, 'recordEffect'>>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds', maximumAttempts: 8 },
});

/** Runs an agent's own tool with the time and the attempts that its author gave it. */
export function toolPort({ timeout_ms, attempts }: ToolDefinition) {
  const { callTool } = proxyActivities<Pick<Activities, 'callTool'>>({
    startToCloseTimeout: timeout_ms,
    heartbeatTimeout: '15 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: attempts },
  });
  return callTool;
}

/** Judges arguments that a person wrote: no more than a look at a schema. */
export const { checkToolArgs } = proxyActivities<Pick<Activities, 'checkToolArgs'>>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds', maximumAttempts: 8 },
});
