/** A worker and an API inside the test process, against the test run's own Temporal server: for workflow and API tests. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AddressInfo } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { FastifyInstance } from 'fastify';
import { createActivities, type Agent } from '../../activities';
import { agentRegistry, scriptedAgent } from '../../activities/agents';
import { buildApp, type AppSettings } from '../../api/app';
import { largeMessages } from '../../api/service/grpc-messages';
import { quickRetries } from '../../api/service/grpc-retries';
import { workerOptions } from '../../worker/options';
import { ApiCaller, TEST_KEYS } from './http';

export interface StackOptions {
  agents?: readonly Agent[];
  continueAsNewAfter?: number;
  maxCachedWorkflows?: number;
  app?: Partial<AppSettings>;
}

export class TestStack {
  private constructor(
    readonly client: Client,
    readonly app: FastifyInstance,
    readonly api: ApiCaller,
    readonly taskQueue: string,
    readonly effectsFile: string,
    private readonly parts: {
      connection: Connection;
      native: NativeConnection;
      worker: Worker;
      running: Promise<void>;
      newWorker: () => Promise<Worker>;
    },
  ) {}

  static async start(options: StackOptions = {}): Promise<TestStack> {
    const address = process.env.HOLDPOINT_TEST_TEMPORAL_ADDRESS;
    const bundle = process.env.HOLDPOINT_TEST_BUNDLE;
    if (!address || !bundle) throw new Error('run under jest: its global setup starts Temporal and builds the bundle');
    quietRuntime();
    const taskQueue = `test-${randomUUID()}`;
    const agents = agentRegistry([scriptedAgent, ...(options.agents ?? [])]);
    const effectsFile = path.join(mkdtempSync(path.join(tmpdir(), 'holdpoint-')), 'effects');
    const native = await NativeConnection.connect({ address });
    const newWorker = () =>
      Worker.create(
        workerOptions({
          connection: native,
          namespace: 'default',
          taskQueue,
          activities: createActivities({ agents, effectsFile, continueAsNewAfter: options.continueAsNewAfter }),
          workflowBundle: { codePath: bundle },
          maxCachedWorkflows: options.maxCachedWorkflows,
        }),
      );
    const worker = await newWorker();
    const running = worker.run();
    const connection = await Connection.connect({
      address,
      interceptors: [quickRetries()],
      channelArgs: largeMessages,
    });
    const client = new Client({ connection, namespace: 'default' });
    const app = await buildApp({ client, agents, keys: TEST_KEYS, taskQueue, rateLimit: 100_000, ...options.app });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const api = new ApiCaller(`http://127.0.0.1:${port}`);
    return new TestStack(client, app, api, taskQueue, effectsFile, { connection, native, worker, running, newWorker });
  }

  async stop(): Promise<void> {
    const { connection, native } = this.parts;
    await this.app.close();
    await this.stopWorker();
    await connection.close();
    await native.close();
  }

  /** From here on no worker answers; the API stays up. */
  async stopWorker(): Promise<void> {
    if (this.parts.worker.getState() === 'RUNNING') this.parts.worker.shutdown();
    await this.parts.running;
  }

  /** Another worker, after `stopWorker`. */
  async startWorker(): Promise<void> {
    this.parts.worker = await this.parts.newWorker();
    this.parts.running = this.parts.worker.run();
  }

  /** Event types in a run's history, by short name: `WorkflowExecutionStarted`, … */
  async historyTypes(runId: string): Promise<string[]> {
    return historyTypes(this.client, runId);
  }
}

/** Types of the events in the newest execution of a run. */
export async function historyTypes(client: Client, runId: string): Promise<string[]> {
  const history = await client.workflow.getHandle(runId).fetchHistory();
  const { temporal } = await import('@temporalio/proto');
  const names = temporal.api.enums.v1.EventType as unknown as Record<number, string>;
  return (history.events ?? []).map((event) =>
    String(names[event.eventType ?? 0])
      .replace('EVENT_TYPE_', '')
      .toLowerCase()
      .replace(/(^|_)(\w)/g, (_all, _sep, letter: string) => letter.toUpperCase()),
  );
}

let installed = false;
/** The SDK logs errors alone, once a process. */
export function quietRuntime(): void {
  if (installed) return;
  installed = true;
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
}
