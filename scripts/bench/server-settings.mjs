// `npm run bench:server`: what settings of the embedded server and of the worker gain, measured side by side: one server
// and one worker for each setting, the rounds in turn. Start until the question is in the memo, and answer until taken.
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { build, isFresh } from '../build.mjs';
import { line, summary, timed } from './measure.mjs';

if (!isFresh()) await build();
const require = createRequire(import.meta.url);
const dist = (file) => require(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist', file));
const { startDevServer } = dist('cli/dev-server.js');
const { resolveTemporalCli } = dist('cli/temporal-cli.js');
const { SEARCH_ATTRIBUTES } = dist('workflows/contract');
const { createActivities } = dist('activities');
const { agentRegistry, scriptedAgent } = dist('activities/agents.js');
const { workerOptions } = dist('worker/options.js');
const { workflowBundle } = dist('worker/bundle.js');

const ROUNDS = process.argv.includes('--quick') ? 15 : 60;
const WARM_UP = 3;
const POLL_MS = 3;
const wal = ['journal_mode=wal', 'synchronous=normal'];
const onePartition = { 'matching.numTaskqueueReadPartitions': 1, 'matching.numTaskqueueWritePartitions': 1 };

const SETTINGS = [
  { name: 'SQLite as it comes', pragmas: [] },
  { name: 'WAL, synchronous=normal', pragmas: wal },
  { name: '… and one partition', pragmas: wal, dynamicConfig: onePartition },
  { name: '… and eager start', pragmas: wal, eager: true },
  { name: '… and no workflow cache', pragmas: wal, maxCachedWorkflows: 0 },
  { name: 'in memory, no file', memory: true, pragmas: [] },
];

Runtime.install({ logger: new DefaultLogger('ERROR') });
const cli = await resolveTemporalCli({ log: (text) => console.error(text) });
const script = {
  turns: [{ calls: [{ tool: 'ask_a_human', args: { kind: 'free_form', question: 'Which quarter?' } }] }],
  text: 'done',
};

const subjects = [];
try {
  for (const setting of SETTINGS) subjects.push(await subjectOf(setting));
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const subject of subjects) await subject.round(round >= 0);
  }
  for (const title of ['started', 'answered']) {
    console.log(`\n${title === 'started' ? 'start → question in the memo' : 'answer → taken'}, ${ROUNDS} rounds`);
    const base = summary(subjects[1][title]).p50;
    for (const subject of subjects) {
      const ratio = (summary(subject[title]).p50 / base).toFixed(2);
      console.log(`${line(subject.name, summary(subject[title]))}  ${ratio} × the default`);
    }
  }
} finally {
  for (const subject of subjects) await subject.stop();
}

async function subjectOf({ name, memory, pragmas, dynamicConfig, eager, maxCachedWorkflows }) {
  const server = await startDevServer({
    cliPath: cli.path,
    ...(memory ? {} : { dataDir: mkdtempSync(path.join(tmpdir(), 'holdpoint-bench-')) }),
    searchAttributes: SEARCH_ATTRIBUTES,
    sqlitePragmas: pragmas,
    extraArgs: ['--headless'],
    ...(dynamicConfig ? { dynamicConfig } : {}),
  });
  const native = await NativeConnection.connect({ address: server.address });
  const worker = await Worker.create(
    workerOptions({
      connection: native,
      namespace: 'default',
      activities: createActivities({ agents: agentRegistry([scriptedAgent]) }),
      workflowBundle: await workflowBundle(),
      maxCachedWorkflows,
    }),
  );
  const running = worker.run();
  // Eager start hands the first task to the worker with which the client shares its connection.
  const connection = eager ? native : await Connection.connect({ address: server.address });
  const client = new Client({ connection });
  const subject = { name, started: [], answered: [] };
  subject.round = async (counts) => {
    const workflowId = `run_${randomUUID().replaceAll('-', '')}`;
    const handle = client.workflow.getHandle(workflowId);
    const args = [{ agent: 'scripted', input: script }];
    const start = await timed(async () => {
      await client.workflow.start('agentRun', { workflowId, taskQueue: 'holdpoint', args, requestEagerStart: eager });
      while (!(await handle.describe()).memo?.holdpoint_state?.pending)
        await new Promise((go) => setTimeout(go, POLL_MS));
    });
    const answer = await timed(async () => {
      const answer_id = randomUUID();
      await handle.signal('answer', { answer_id, input: { kind: 'free_form', text: 'Q3' } });
      const { outcome } = await handle.query('answer_outcome', { answer_id });
      if (outcome?.verdict !== 'taken') throw new Error('the answer was not taken');
    });
    if (!counts) return;
    subject.started.push(start);
    subject.answered.push(answer);
  };
  subject.stop = async () => {
    worker.shutdown();
    await running;
    if (!eager) await connection.close();
    await native.close();
    await server.stop();
  };
  return subject;
}
