/** Real processes that tests start and kill: Temporal on a SQLite file, worker, API. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { startDevServer, type DevServer } from '../../cli/dev-server';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract';
import { ApiCaller, eventually, TEST_KEYS } from './http';

export const MAIN = path.resolve(__dirname, '../../dist/cli/main.js');

/** One process of ours, with what it printed. */
export class Program {
  readonly exited: Promise<number | null>;
  /** As `exited`, once all that it printed is here too. */
  readonly closed: Promise<number | null>;
  /** Both streams as they came. */
  output = '';
  errors = '';
  private constructor(readonly child: ChildProcess) {
    this.exited = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    this.closed = new Promise((resolve) => child.once('close', (code) => resolve(code)));
    child.stdout?.on('data', (data: Buffer) => (this.output += data.toString()));
    child.stderr?.on('data', (data: Buffer) => {
      this.output += data.toString();
      this.errors += data.toString();
    });
  }

  /** Starts `holdpoint <command>` with these settings and nothing else of this process's environment but PATH and HOME. */
  static start(args: readonly string[], env: Record<string, string>): Program {
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Program(child);
  }

  async printed(pattern: RegExp, seconds = 120): Promise<string> {
    let match: RegExpExecArray | null = null;
    const ok = await eventually(
      () => (match = pattern.exec(this.output)) !== null || this.child.exitCode !== null,
      seconds,
    );
    if (!ok || match === null) throw new Error(`never printed ${pattern}: ${this.output}`);
    return (match as RegExpExecArray)[1] ?? (match as RegExpExecArray)[0];
  }

  /** SIGKILL: no clean-up of any kind. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** SIGTERM; the exit code. */
  async terminate(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.exited;
  }

  /** SIGINT, as Ctrl-C sends it; the exit code. */
  async interrupt(): Promise<number | null> {
    this.child.kill('SIGINT');
    return this.exited;
  }
}

/** Temporal, workers and APIs as processes of their own, each of which can be killed and started again. */
export class ProcessStack {
  readonly dataDir = mkdtempSync(path.join(tmpdir(), 'holdpoint-'));
  readonly effectsFile = path.join(this.dataDir, 'effects');
  private readonly programs = new Set<Program>();
  private server: DevServer | undefined;
  private port: number | undefined;

  /** Settings that every process of this stack gets besides the connection. */
  constructor(private readonly env: Record<string, string> = {}) {}

  get address(): string {
    if (!this.server) throw new Error('Temporal is not running');
    return this.server.address;
  }

  /** Starts Temporal, on the port that it had before when it was up already, so that others find it again. */
  async startTemporal(options: { dynamicConfig?: Record<string, number>; port?: number } = {}): Promise<void> {
    const cliPath = process.env.HOLDPOINT_TEST_TEMPORAL_CLI;
    if (!cliPath) throw new Error('run under jest: its global setup finds the Temporal CLI');
    this.server = await startDevServer({
      cliPath,
      dataDir: this.dataDir,
      searchAttributes: SEARCH_ATTRIBUTES,
      extraArgs: ['--headless'],
      ...(this.port === undefined ? {} : { port: this.port }),
      ...options,
    });
    this.port = Number(this.server.address.split(':').at(-1));
  }

  async killTemporal(): Promise<void> {
    if (!this.server) return;
    process.kill(this.server.pid, 'SIGKILL');
    await this.server.exited;
    // Gives the data folder back.
    await this.server.stop();
  }

  async startWorker(env: Record<string, string> = {}): Promise<Program> {
    const worker = this.program(['worker'], env);
    await worker.printed(/worker: polling/);
    return worker;
  }

  async startApi(env: Record<string, string> = {}): Promise<{ program: Program; api: ApiCaller }> {
    const program = this.program(['api'], { PORT: '0', HOLDPOINT_API_KEYS: JSON.stringify(TEST_KEYS), ...env });
    const url = await program.printed(/api: listening on ([^\s,]+)/);
    const api = new ApiCaller(url);
    await eventually(async () => (await fetch(`${url}/readyz`)).status === 200);
    return { program, api };
  }

  /** A Temporal client on the same server: T of CASES.md. Close its connection after use. */
  async client(): Promise<Client> {
    return new Client({ connection: await Connection.connect({ address: this.address }), namespace: 'default' });
  }

  /** Lines of the effects file: `<run_id> <name>`. */
  effects(): string[] {
    return existsSync(this.effectsFile) ? readFileSync(this.effectsFile, 'utf8').split('\n').filter(Boolean) : [];
  }

  async stop(): Promise<void> {
    for (const program of this.programs) await program.kill();
    await this.server?.stop();
  }

  private program(command: readonly string[], env: Record<string, string>): Program {
    const program = Program.start(command, {
      TEMPORAL_ADDRESS: this.address,
      HOLDPOINT_SCRIPTED: '1',
      HOLDPOINT_EFFECTS_FILE: this.effectsFile,
      HOLDPOINT_RATE_LIMIT: '100000',
      LOG_LEVEL: 'warn',
      ...this.env,
      ...env,
    });
    this.programs.add(program);
    return program;
  }
}
