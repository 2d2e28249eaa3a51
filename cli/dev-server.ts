import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { type DataDirLock, lockDataDir } from './data-dir-lock';
import { ServerProcess } from './server-process';

export { DataDirInUseError } from './data-dir-lock';

export interface DevServerOptions {
  /** The `temporal` program, see `resolveTemporalCli`. */
  cliPath: string;
  /** Folder of the SQLite file `temporal.db`; one live server a folder. None: all is in memory and gone at the end. */
  dataDir?: string;
  /** Address to bind, default 127.0.0.1: the dev server has no authentication. */
  ip?: string;
  /** 0 or undefined picks a free one. Temporal's own default, 7233, is a wish: when taken a free one is picked. Any other must be free. */
  port?: number;
  /** Port of the Web UI; as `port`, its default being 8233. No Web UI with `--headless` in `extraArgs`. */
  uiPort?: number;
  /** Gets a line when another port than the wished one is taken. */
  log?: (line: string) => void;
  /**
   * Search attributes, name → Temporal type (`Keyword`, `Datetime`, …). The server takes them up when the database is new; on an older one
   * the worker's own registration adds what is missing.
   */
  searchAttributes: Record<string, string>;
  dynamicConfig?: Record<string, string | number | boolean>;
  /** SQLite pragmas, `name=value`, for a server on a data folder. */
  sqlitePragmas?: readonly string[];
  extraArgs?: string[];
}

export interface DevServer {
  /** `host:port` of the gRPC frontend. */
  address: string;
  /** Empty when headless. */
  uiUrl: string;
  pid: number;
  /** Ends the server and gives the data folder back. Safe to call more than once. */
  stop(): Promise<void>;
  /** Resolves when the server has ended for whatever reason: its exit code, or null when a signal ended it. */
  exited: Promise<number | null>;
}

/** What one person's server can afford. Any of a caller's own goes before it. */
const DYNAMIC_CONFIG = {
  // A timer may be late by this. The usual second is too much for an agent that sleeps for less.
  'history.timerProcessorMaxTimeShift': '10ms',
  // Signals that come in during one workflow task, as when many sub-agents ask at once. By default above 100 of them, or
  // 2 MB, the server gives the task up and hands it out again: nothing is lost by it, but the history shows a failed task.
  'history.maximumBufferedEventsBatch': 1_000,
  'history.maximumBufferedEventsSizeInBytes': 8 * 1024 * 1024,
};

/** About twice the throughput of SQLite's own; a killed process loses nothing by it (docs/cost.md). */
const DEFAULT_PRAGMAS = ['journal_mode=wal', 'synchronous=normal'];

const startLimitMs = 60_000;

async function isFree(ip: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: ip, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

async function anyFreePort(ip: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: ip, exclusive: true }, () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

interface PortWish {
  what: string;
  port: number | undefined;
  usual: number;
}

async function choosePort(ip: string, wish: PortWish, log: (line: string) => void): Promise<number> {
  if (!wish.port) return anyFreePort(ip);
  if (await isFree(ip, wish.port)) return wish.port;
  if (wish.port !== wish.usual) throw new Error(`port ${wish.port} for ${wish.what} is taken`);
  const port = await anyFreePort(ip);
  log(`port ${wish.port} for ${wish.what} is taken, using ${port}`);
  return port;
}

function serverArguments(options: DevServerOptions, ip: string, port: number, uiPort: number | undefined): string[] {
  const args = ['server', 'start-dev', '--ip', ip, '--port', String(port), '--log-level', 'error'];
  if (uiPort !== undefined) args.push('--ui-port', String(uiPort));
  if (options.dataDir !== undefined) {
    args.push('--db-filename', path.join(options.dataDir, 'temporal.db'));
    for (const pragma of options.sqlitePragmas ?? DEFAULT_PRAGMAS) args.push('--sqlite-pragma', pragma);
  }
  for (const [name, type] of Object.entries(options.searchAttributes))
    args.push('--search-attribute', `${name}=${type}`);
  for (const [key, value] of Object.entries({ ...DYNAMIC_CONFIG, ...options.dynamicConfig })) {
    args.push('--dynamic-config-value', `${key}=${JSON.stringify(value)}`);
  }
  return [...args, ...(options.extraArgs ?? [])];
}

/** True when something listens there. Asked before gRPC is: a channel that was refused once waits a whole second before it tries again. */
async function accepts(ip: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: ip, port });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
  });
}

/** True when the frontend answers and the default namespace is there. */
async function isServing(address: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: 2000 });
    try {
      const call = () => connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.withDeadline(Date.now() + 2000, call);
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}

async function waitUntilReady(server: ServerProcess, ip: string, port: number, address: string): Promise<void> {
  for (const deadline = Date.now() + startLimitMs; Date.now() < deadline; await sleep(20)) {
    if (server.hasExited) throw new Error(`the Temporal server ended at once: ${server.lastWords()}`);
    if ((await accepts(ip, port)) && (await isServing(address))) return;
  }
  throw new Error(`the Temporal server did not answer within ${startLimitMs / 1000} s: ${server.lastWords()}`);
}

async function launch(options: DevServerOptions, lock: DataDirLock | undefined): Promise<DevServer> {
  const ip = options.ip ?? '127.0.0.1';
  const log = options.log ?? (() => undefined);
  const headless = options.extraArgs?.includes('--headless') ?? false;
  const port = await choosePort(ip, { what: 'Temporal', port: options.port, usual: 7233 }, log);
  const uiWish = { what: 'the Temporal Web UI', port: options.uiPort, usual: 8233 };
  const uiPort = headless ? undefined : await choosePort(ip, uiWish, log);
  const host = ip.includes(':') ? `[${ip}]` : ip;
  const address = `${host}:${port}`;
  const server = new ServerProcess(options.cliPath, serverArguments(options, ip, port, uiPort));
  if (server.pid) lock?.recordServer(server.pid);
  try {
    await waitUntilReady(server, ip, port, address);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const exited = server.exited.then((code) => {
    lock?.release();
    return code;
  });
  const stop = async () => {
    await server.stop();
    await exited;
  };
  return { address, uiUrl: uiPort === undefined ? '' : `http://${host}:${uiPort}`, pid: server.pid, stop, exited };
}

/**
 * Starts Temporal's development server and resolves once it answers. It never outlives this process, however this process ends.
 * Throws `DataDirInUseError` when another live Holdpoint works on the folder, and one line with the server's last words when it dies.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const dataDir = options.dataDir === undefined ? undefined : path.resolve(options.dataDir);
  const lock = dataDir === undefined ? undefined : await lockDataDir(dataDir);
  try {
    // A port that was free a moment ago may be taken by now (test runs side by side): only then, and only for picked ports, once more.
    return await launch({ ...options, dataDir }, lock).catch((error: Error) => {
      if (!/address already in use|can't set .*port/i.test(error.message) || options.port || options.uiPort)
        throw error;
      return launch({ ...options, dataDir }, lock);
    });
  } catch (error) {
    lock?.release();
    throw error;
  }
}
