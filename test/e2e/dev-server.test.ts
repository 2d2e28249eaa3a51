import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { type DevServer, startDevServer } from '../../cli/dev-server';

const cliPath = process.env.HOLDPOINT_TEST_TEMPORAL_CLI ?? '';
const searchAttributes = { HoldpointStatus: 'Keyword', HoldpointAskedAt: 'Datetime' };
const startOptions = { cliPath, searchAttributes, extraArgs: ['--headless'] };

let dataDir: string;
const started: DevServer[] = [];
const children: ChildProcess[] = [];

const start = async (more: Partial<Parameters<typeof startDevServer>[0]> = {}) => {
  const server = await startDevServer({ ...startOptions, dataDir, ...more });
  started.push(server);
  return server;
};

/** State letter and process group from /proc; undefined where there is none (macOS) or no such process. */
function procStat(pid: number | string): { state?: string; group?: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, group: Number(group) };
  } catch {
    return undefined;
  }
}

/** A dead process that its new parent has not collected yet (state Z) still has its id. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return procStat(pid)?.state !== 'Z';
  } catch {
    return false;
  }
}

async function until(what: string, condition: () => boolean, limitMs = 10_000): Promise<void> {
  for (const end = Date.now() + limitMs; !condition(); await sleep(25)) {
    if (Date.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`);
  }
}

async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

const startWorkflow = (address: string, workflowId: string) =>
  withClient(address, (client) => client.workflow.start('agentRun', { workflowId, taskQueue: 'nobody' }));
const statusOf = (address: string, workflowId: string) =>
  withClient(address, async (client) => (await client.workflow.getHandle(workflowId).describe()).status.name);

/** Another process that runs a server on the folder: our own dist, as `holdpoint dev` would. Resolves once the server is up. */
async function startElsewhere(): Promise<{ parent: ChildProcess; address: string; pid: number }> {
  const program = `
    require(${JSON.stringify(path.resolve('dist/cli/dev-server.js'))})
      .startDevServer(JSON.parse(process.argv[1]))
      .then((server) => console.log(JSON.stringify({ address: server.address, pid: server.pid })));
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['-e', program, JSON.stringify({ ...startOptions, dataDir })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(parent);
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  return { parent, ...(JSON.parse(line.toString()) as { address: string; pid: number }) };
}

beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'holdpoint-data-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of started.splice(0)) await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('keeps workflows over a stop and a start', async () => {
  const first = await start();
  await startWorkflow(first.address, 'kept');
  await first.stop();
  expect(isAlive(first.pid)).toBe(false);
  expect(await first.exited).toBe(0);

  const second = await start();
  expect(await statusOf(second.address, 'kept')).toBe('RUNNING');
});

test('ends when its parent is killed, and a new start on the same folder sees the old workflows', async () => {
  const { parent, address, pid } = await startElsewhere();
  await startWorkflow(address, 'survivor');
  parent.kill('SIGKILL');
  await once(parent, 'exit');

  // At once: the old server may still be on its way out.
  const next = await start();
  expect(isAlive(pid)).toBe(false);
  expect(await statusOf(next.address, 'survivor')).toBe('RUNNING');
});

test('ends on its own when its parent is killed', async () => {
  const { parent, pid } = await startElsewhere();
  parent.kill('SIGKILL');
  await until('the server has ended', () => !isAlive(pid));
});

const onLinux = process.platform === 'linux' ? test : test.skip;
onLinux('leaves no process of its own behind', async () => {
  const server = await start();
  const alive = () =>
    readdirSync('/proc')
      .map(procStat)
      .filter((process) => process?.group === server.pid && process.state !== 'Z');
  expect(alive().length).toBeGreaterThan(1);
  await server.stop();
  await until('the group is gone', () => alive().length === 0);
});

test('works again after parent and server were both killed', async () => {
  const { parent, address, pid } = await startElsewhere();
  await startWorkflow(address, 'survivor');
  process.kill(pid, 'SIGKILL');
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  const next = await start();
  expect(await statusOf(next.address, 'survivor')).toBe('RUNNING');
});

test('refuses a second start on the same folder in one line, from here and from another process', async () => {
  const { parent } = await startElsewhere();
  const refused = start();
  await expect(refused).rejects.toMatchObject({ name: 'DataDirInUseError', pid: parent.pid, dataDir });
  await expect(refused).rejects.toThrow(/^[^\n]+$/);

  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await start();
  await expect(start()).rejects.toMatchObject({ name: 'DataDirInUseError', pid: process.pid });
});

test('a server that dies at once is one line with its last words, and frees the folder', async () => {
  await expect(start({ extraArgs: ['--no-such-flag'] })).rejects.toThrow(/^[^\n]*unknown flag: --no-such-flag[^\n]*$/);
  await start();
});

test('a wished port that is taken is an error; a taken default port is not', async () => {
  const holder = net.createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as net.AddressInfo;
  try {
    await expect(start({ port })).rejects.toThrow(`port ${port} for Temporal is taken`);
  } finally {
    holder.close();
  }

  const wishesDefault = { port: 7233, dataDir: undefined };
  const [first, second] = [await start(wishesDefault), await start(wishesDefault)];
  expect(second.address).not.toBe(first.address);
});
