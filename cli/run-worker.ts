import { Runtime, Worker, type NativeConnection } from '@temporalio/worker';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createActivities } from '../activities';
import { RecordedModel } from '../activities/define';
import { preloadAiSdk } from '../activities/models/ai-sdk-model';
import { workflowBundle } from '../worker/bundle';
import { workerOptions } from '../worker/options';
import { ensureSearchAttributes } from '../worker/search-attributes';
import { installedAgents } from './agents';
import type { Tracing } from './open-telemetry';
import { startOpsServer } from './ops-server';
import { sdkMetrics, type SdkMetrics } from './sdk-metrics';
import type { Settings } from './settings';
import { stopRequested } from './shutdown';
import { connectWorker, temporalTarget } from './temporal';
import { tracingOf } from './tracing';
import { workerLogger } from './worker-log';

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
  tracing?: Tracing,
): Promise<RunningWorker> {
  await ensureSearchAttributes(connection, namespace);
  const { agents, workflows } = await installedAgents(settings);
  const activities = createActivities({
    agents,
    workflows,
    effectsFile: settings.HOLDPOINT_EFFECTS_FILE,
    continueAsNewAfter: settings.HOLDPOINT_CONTINUE_AS_NEW_AFTER,
  });
  const { workflowBundle: traced, ...traces } = (await tracing?.worker()) ?? {};
  const options = workerOptions({
    connection,
    namespace,
    taskQueue: settings.HOLDPOINT_TASK_QUEUE,
    activities,
    workflowBundle: traced ?? (await workflowBundle()),
    maxCachedWorkflows: settings.HOLDPOINT_MAX_CACHED_WORKFLOWS,
  });
  const worker = await Worker.create({ ...options, ...traces });
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

/** Sets up the SDK's own logging and metrics, once a process and before its first connection. Signals stay with us. */
export function installRuntime(settings: Settings, metrics?: SdkMetrics): void {
  Runtime.install({
    logger: workerLogger(settings.LOG_LEVEL),
    shutdownSignals: [],
    ...(metrics ? { telemetryOptions: metrics.telemetryOptions } : {}),
  });
}

/** `holdpoint worker`: one worker process against the Temporal server that the environment names. */
export async function workerCommand(settings: Settings): Promise<number> {
  const stop = stopRequested();
  const metrics = settings.HOLDPOINT_METRICS_PORT === undefined ? undefined : await sdkMetrics();
  installRuntime(settings, metrics);
  // What would stop the start is looked at before anything is connected to.
  await installedAgents(settings);
  const target = temporalTarget();
  const link: { connection?: NativeConnection } = {};
  const ops = metrics && (await workerOps(settings, metrics, () => link.connection));
  if (ops) console.log(`worker: metrics and health on ${ops.url}`);
  const tracing = await tracingOf(settings, 'worker');
  const connection = await connectWorker(target, (line) => console.error(line), stop);
  if (!connection) return 0;
  link.connection = connection;
  try {
    const worker = await startWorker(connection, target.namespace, settings, tracing);
    console.log(`worker: polling ${settings.HOLDPOINT_TASK_QUEUE} at ${target.address}, namespace ${target.namespace}`);
    await Promise.race([stop, worker.ended]);
    await worker.stop();
    return 0;
  } finally {
    await ops?.close();
    await connection.close();
    await tracing?.stop();
  }
}

/** The port for metrics and health of a process that is a worker alone. */
function workerOps(settings: Settings, metrics: SdkMetrics, connection: () => NativeConnection | undefined) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return startOpsServer(settings, {
    metrics: async () => [await registry.metrics(), await metrics.text().catch(() => '')].filter(Boolean).join('\n'),
    ready: async () => {
      const connected = connection();
      if (!connected) throw new Error('not connected yet');
      return connected.workflowService.getSystemInfo({});
    },
  });
}
