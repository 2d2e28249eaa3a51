/** What makes a worker a Holdpoint worker: shared by the program, the tests and the replay of kept histories. */
import type { NativeConnection, ReplayWorkerOptions, WorkerOptions, WorkflowBundleOption } from '@temporalio/worker';
import type { Activities } from '../activities';
import { DEFAULT_TASK_QUEUE } from '../workflows/contract';

export interface HoldpointWorkerSettings {
  connection: NativeConnection;
  namespace: string;
  taskQueue?: string | undefined;
  activities: Activities;
  workflowBundle: WorkflowBundleOption;
  /** Paused runs kept in memory; 0 turns the cache off. Default: the SDK's, by the memory there is. */
  maxCachedWorkflows?: number | undefined;
}

/** What decides how workflow code runs: one and the same for a live worker and for the replay of a kept history. */
export function replayOptions(workflowBundle: WorkflowBundleOption): ReplayWorkerOptions {
  return { workflowBundle };
}

/**
 * Worker options. A workflow task for a worker that has died waits on that worker's own queue until the sticky timeout
 * ends, and with it the answer that caused it; three seconds is what a person notices least while a busy worker is not
 * taken for a dead one.
 */
export function workerOptions(settings: HoldpointWorkerSettings): WorkerOptions {
  return {
    connection: settings.connection,
    namespace: settings.namespace,
    taskQueue: settings.taskQueue ?? DEFAULT_TASK_QUEUE,
    activities: settings.activities,
    ...replayOptions(settings.workflowBundle),
    stickyQueueScheduleToStartTimeout: '3 seconds',
    shutdownGraceTime: '4 seconds',
    shutdownForceTime: '8 seconds',
    ...(settings.maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows: settings.maxCachedWorkflows }),
  };
}
