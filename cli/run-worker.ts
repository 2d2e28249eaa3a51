import { DefaultLogger, Runtime, Worker, type LogLevel, type NativeConnection } from '@temporalio/worker';
import { createActivities } from '../activities';
import { RecordedModel } from '../activities/define';
import { preloadAiSdk } from '../activities/models/ai-sdk-model';
import { workflowBundle } from '../worker/bundle';
import { workerOptions } from '../worker/options';
import { ensureSearchAttributes } from '../worker/search-attributes';
import { installedAgents } from './agents';
import type { Settings } from './settings';
import { stopRequested } from './shutdown';
import { connectWorker, temporalTarget } from './temporal';

export interface RunningWorker {
  /** Stops polling, lets running tasks end, and resolves when the worker is gone. */
  stop(): Promise<void>;
  /** Resolves when the worker has stopped; rejects when it failed. */
  ended: Promise<void>;
}

/** Starts a worker on a connection. The search attributes are there before it polls, or this throws. */
export async function startWorker(
  connection: NativeConnection,
  namespace: string,
  settings: Settings,
): Promise<RunningWorker> {
  await ensureSearchAttributes(connection, namespace);
  const agents = await installedAgents(settings);
  const activities = createActivities({
    agents,
    effectsFile: settings.HOLDPOINT_EFFECTS_FILE,
    continueAsNewAfter: settings.HOLDPOINT_CONTINUE_AS_NEW_AFTER,
  });
  const worker = await Worker.create(
    workerOptions({
      connection,
      namespace,
      taskQueue: settings.HOLDPOINT_TASK_QUEUE,
      activities,
      workflowBundle: await workflowBundle(),
      maxCachedWorkflows: settings.HOLDPOINT_MAX_CACHED_WORKFLOWS,
    }),
  );
  // So that the first run does not wait for what a model needs; one that cannot be loaded says so in its runs.
  await preloadAiSdk([...agents.values()].map(({ spec }) => ({ model: spec?.model ?? null }))).catch(() => undefined);
  const recorded = [...agents.values()].filter(
    ({ model, spec }) => spec?.instructions && model instanceof RecordedModel,
  );
  if (recorded.length > 0) {
    const names = recorded.map(({ name }) => name).join(', ');
    console.error(`worker: no key of a model is set, so these agents play recorded model turns: ${names}`);
  }
  const ended = worker.run();
  return {
    ended,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    },
  };
}

/** Sets up the SDK's own logging, once a process and before its first connection. Signals stay with us. */
export function installRuntime(settings: Settings): void {
  const levels: Record<Settings['LOG_LEVEL'], LogLevel> = {
    silent: 'ERROR',
    fatal: 'ERROR',
    error: 'ERROR',
    warn: 'WARN',
    info: 'WARN',
    debug: 'INFO',
    trace: 'TRACE',
  };
  Runtime.install({ logger: new DefaultLogger(levels[settings.LOG_LEVEL]), shutdownSignals: [] });
}

/** `holdpoint worker`: one worker process against the Temporal server that the environment names. */
export async function workerCommand(settings: Settings): Promise<number> {
  const stop = stopRequested();
  installRuntime(settings);
  // What would stop the start is looked at before anything is connected to.
  await installedAgents(settings);
  const target = temporalTarget();
  const connection = await connectWorker(target, (line) => console.error(line), stop);
  if (!connection) return 0;
  try {
    const worker = await startWorker(connection, target.namespace, settings);
    console.log(`worker: polling ${settings.HOLDPOINT_TASK_QUEUE} at ${target.address}, namespace ${target.namespace}`);
    await Promise.race([stop, worker.ended]);
    await worker.stop();
    return 0;
  } finally {
    await connection.close();
  }
}
