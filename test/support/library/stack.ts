/** A team's own worker with the plugin, on its own task queue, and the API beside it: for tests of the library. */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Client, Connection, type ClientOptions } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { FastifyInstance } from 'fastify';
import { agentRegistry, scriptedAgent } from '../../../activities/agents';
import { buildApp, type StartableAgent } from '../../../api';
import { HoldpointPlugin } from '../../../worker';
import { MEMO_KEYS } from '../../../workflows/contract';
import { ApiCaller, eventually } from '../http';
import { quietRuntime } from '../stack';

export const LIBRARY_KEYS = [
  { name: 'team', key: 'team-key-00000000000', workspace: 'default' },
  { name: 'rival', key: 'rival-key-0000000000', workspace: 'rival' },
];

/** Bundles a team's workflows once for all workers of a suite. */
export async function bundleOf(workflowsPath: string, more: Partial<Parameters<typeof bundleWorkflowCode>[0]> = {}) {
  return bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR'), ...more });
}

export interface LibraryStackOptions {
  worker?: Partial<WorkerOptions>;
  client?: Partial<ClientOptions>;
}

export class LibraryStack {
  private constructor(
    readonly client: Client,
    readonly api: ApiCaller,
    readonly taskQueue: string,
    private readonly parts: {
      app: FastifyInstance;
      native: NativeConnection;
      connection: Connection;
      worker: Worker;
      running: Promise<void>;
    },
  ) {}

  static async start(workflows: { code: string }, options: LibraryStackOptions = {}): Promise<LibraryStack> {
    const address = process.env.HOLDPOINT_TEST_TEMPORAL_ADDRESS;
    if (!address) throw new Error('run under jest: its global setup starts Temporal');
    quietRuntime();
    const taskQueue = `team-${randomUUID()}`;
    const native = await NativeConnection.connect({ address });
    const invoices = { agent: 'invoices', type: 'approveInvoice', task_queue: taskQueue };
    const worker = await Worker.create({
      connection: native,
      taskQueue,
      workflowBundle: workflows,
      activities: { double: async (n: number) => 2 * n },
      plugins: [new HoldpointPlugin({ agents: [scriptedAgent], workflows: [invoices] })],
      ...options.worker,
    });
    const running = worker.run();
    const connection = await Connection.connect({ address });
    const client = new Client({ connection, ...options.client });
    const agents = new Map<string, StartableAgent>(agentRegistry([scriptedAgent]));
    agents.set('invoices', { name: 'invoices', description: 'Approves invoices.', workflow: invoices });
    const app = await buildApp({ client, agents, keys: LIBRARY_KEYS, taskQueue, rateLimit: 100_000 });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const api = new ApiCaller(`http://127.0.0.1:${port}`, LIBRARY_KEYS[0]?.key);
    return new LibraryStack(client, api, taskQueue, { app, native, connection, worker, running });
  }

  /** Starts a workflow as a team's own client does; resolves once its first task has said who it is, or it has ended. */
  async begin(type: string, args: unknown[], more: Record<string, unknown> = {}): Promise<string> {
    const workflowId = `team_${randomUUID()}`;
    const handle = await this.client.workflow.start(type, { taskQueue: this.taskQueue, workflowId, args, ...more });
    await eventually(async () => {
      const { memo, status } = await handle.describe();
      return memo?.[MEMO_KEYS.run] !== undefined || status.name !== 'RUNNING';
    });
    return workflowId;
  }

  result(runId: string): Promise<unknown> {
    return this.client.workflow.getHandle(runId).result();
  }

  async stop(): Promise<void> {
    const { app, native, connection, worker, running } = this.parts;
    await app.close();
    worker.shutdown();
    await running;
    await connection.close();
    await native.close();
  }
}
