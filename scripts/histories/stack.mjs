// A Temporal server, workers and an API for recording: all of them go by the name `holdpoint`, so that nothing of the
// machine they ran on is in a history.
import { createRequire } from 'node:module';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

const require = createRequire(import.meta.url);
const dist = (file) => require(`../../dist/${file}`);
const { createActivities } = dist('activities/index.js');
const { agentRegistry, scriptedAgent } = dist('activities/agents.js');
const { buildApp } = dist('api/app.js');
const { startDevServer } = dist('cli/dev-server.js');
const { resolveTemporalCli } = dist('cli/temporal-cli.js');
const { HoldpointPlugin } = dist('worker/index.js');
const { workerOptions } = dist('worker/options.js');
const { SEARCH_ATTRIBUTES } = dist('workflows/contract/index.js');

const IDENTITY = 'holdpoint';
const KEY = 'recording-key';
const { agentsInFolder } = dist('activities/define/agents-in-folder.js');

// Examples are recorded as they run with no key of a model: their recorded turns.
for (const name of ['HOLDPOINT_MODEL', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY']) {
  delete process.env[name];
}
const examples = await agentsInFolder(path.dirname(require.resolve('../../dist/examples/agents/offsite-planner.js')));
const agents = agentRegistry([scriptedAgent, ...examples]);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What is behind every stack of one recording. `stop` ends it all. */
export async function startRecording() {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const { path: cliPath } = await resolveTemporalCli({ log: console.error });
  const server = await startDevServer({ cliPath, searchAttributes: SEARCH_ATTRIBUTES, extraArgs: ['--headless'] });
  const native = await NativeConnection.connect({ address: server.address });
  const connection = await Connection.connect({ address: server.address });
  const shared = { native, client: new Client({ connection, namespace: 'default', identity: IDENTITY }), stopping: [] };
  const stop = async () => {
    for (const end of shared.stopping) await end();
    await connection.close();
    await native.close();
    await server.stop();
  };
  shared.team = () => (shared.startedTeam ??= startTeam(shared));
  return { stack: await startStack(shared, {}), stop };
}

/** A team's own worker: the plugin and the workflows of the kept histories, on a task queue of its own. */
async function startTeam(shared) {
  const { native, client } = shared;
  const taskQueue = 'team';
  const effectsFile = path.join(mkdtempSync(path.join(tmpdir(), 'holdpoint-')), 'effects');
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('../../test/replay/pausable-workflows.ts'),
    logger: new DefaultLogger('ERROR'),
  });
  const worker = await Worker.create({
    connection: native,
    identity: IDENTITY,
    taskQueue,
    workflowBundle: { code },
    plugins: [new HoldpointPlugin({ agents: [scriptedAgent], effectsFile })],
  });
  const running = worker.run();
  const keys = [{ name: 'recorder', key: KEY, workspace: 'default' }];
  const app = await buildApp({ client, agents, keys, taskQueue });
  shared.stopping.push(async () => {
    await app.close();
    worker.shutdown();
    await running;
  });
  return new RecordingStack(shared, app, taskQueue);
}

/** One worker and one API on a task queue of their own. */
async function startStack(shared, settings) {
  const { native, client } = shared;
  const taskQueue = ['holdpoint', ...Object.values(settings)].join('-');
  const effectsFile = path.join(mkdtempSync(path.join(tmpdir(), 'holdpoint-')), 'effects');
  const options = workerOptions({
    connection: native,
    namespace: 'default',
    taskQueue,
    activities: createActivities({ agents, effectsFile, ...settings }),
    workflowBundle: { codePath: require.resolve('../../dist/workflow-bundle.js') },
  });
  const worker = await Worker.create({ ...options, identity: IDENTITY });
  const running = worker.run();
  const keys = [{ name: 'recorder', key: KEY, workspace: 'default' }];
  const app = await buildApp({ client, agents, keys, taskQueue });
  shared.stopping.push(async () => {
    await app.close();
    worker.shutdown();
    await running;
  });
  return new RecordingStack(shared, app, taskQueue);
}

class RecordingStack {
  constructor(shared, app, taskQueue) {
    this.shared = shared;
    this.app = app;
    this.taskQueue = taskQueue;
  }

  /** Another one whose runs continue as new after this many events. */
  continuingAfter(events) {
    return startStack(this.shared, { continueAsNewAfter: events });
  }

  /** Another one with a team's own workflows. */
  team() {
    return this.shared.team();
  }

  /** Starts a workflow as a team's own client does. */
  async begin(type, ...args) {
    const workflowId = `${type}-${Date.now()}`;
    await this.shared.client.workflow.start(type, { workflowId, taskQueue: this.taskQueue, args });
    return workflowId;
  }

  async call(method, url, payload) {
    const headers = { authorization: `Bearer ${KEY}` };
    const reply = await this.app.inject({
      method,
      url: `/api/platform/v1${url}`,
      headers,
      ...(payload ? { payload } : {}),
    });
    if (reply.statusCode >= 300) throw new Error(`${method} ${url}: ${reply.statusCode} ${reply.body}`);
    return reply.json();
  }

  async start(input, more = {}) {
    return (await this.call('POST', '/agents', { agent: 'scripted', input, ...more })).run_id;
  }

  async startByHand(args) {
    const workflowId = `by-hand-${Date.now()}`;
    await this.shared.client.workflow.start('agentRun', { workflowId, taskQueue: this.taskQueue, args: [args] });
    return workflowId;
  }

  resume(runId, input) {
    return this.call('POST', `/agents/${runId}/resume`, { input });
  }

  claim(runId, askId, duration) {
    return this.call('POST', `/agents/${runId}/claim`, { ask_id: askId, for: duration });
  }

  release(runId, askId) {
    return this.call('POST', `/agents/${runId}/release`, { ask_id: askId });
  }

  async untilClaimIsOver(runId) {
    while ((await this.call('GET', `/agents/${runId}`)).claim !== null) await pause(50);
    await pause(100);
  }

  cancel(runId) {
    return this.call('POST', `/agents/${runId}/cancel`);
  }

  terminate(runId) {
    return this.handle(runId).terminate();
  }

  signal(runId, payload) {
    return this.handle(runId).signal('answer', payload);
  }

  signalBytes(runId, encoding, data) {
    return this.shared.client.workflowService.signalWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: runId },
      signalName: 'answer',
      identity: IDENTITY,
      input: { payloads: [{ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) }] },
    });
  }

  untilWaiting(runId, askId) {
    return this.until(runId, (run) => run.pending?.ask_id === askId);
  }

  untilAwaiting(runId, count) {
    return this.until(runId, (run) => run.children_awaiting.length === count);
  }

  async childAwaiting(runId) {
    return (await this.snapshot(runId)).children_awaiting[0].run_id;
  }

  untilEnded(runId) {
    return this.until(runId, (run) => run.ended_at !== null);
  }

  async untilChildren(runId, count) {
    for (;;) {
      const { events } = await this.handle(runId).query('events');
      const children = events.filter((event) => event.type === 'child.started').map((event) => event.data.child_run_id);
      if (children.length >= count) return children;
      await pause(50);
    }
  }

  /** Every execution of a run, the oldest first, as `[workflow id, execution id]`. */
  async executions(runId) {
    const chain = [];
    let executionId = (await this.handle(runId).describe()).runId;
    while (executionId) {
      chain.unshift([runId, executionId]);
      const { events } = await this.handle(runId, executionId).fetchHistory();
      executionId = events[0].workflowExecutionStartedEventAttributes.continuedExecutionRunId;
    }
    return chain;
  }

  handle(runId, executionId) {
    return this.shared.client.workflow.getHandle(runId, executionId);
  }

  async until(runId, holds) {
    while (!(await this.snapshot(runId).then(holds, () => false))) await pause(50);
  }

  snapshot(runId) {
    return this.handle(runId).query('run');
  }
}
