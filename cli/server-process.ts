import { type ChildProcess, spawn } from 'node:child_process';

const stopLimitMs = 4000;

/**
 * The server must not outlive us, not even when we are killed. So a guard beside it waits for the end of its standard input, a pipe that
 * only we hold open and never write to; `exec` makes the shell itself the server, so the child's pid is the server's.
 */
const guarded = `
exec 3<&0 </dev/null
(cat <&3; kill -TERM $$; sleep 3; kill -KILL $$) >/dev/null 2>&1 &
exec 3<&-
exec "$@"
`;

/** The `TEMPORAL_*` settings of the environment are for clients; to the CLI they would be flags it was never given. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

/** The Temporal server as a child process that ends when we end; the end of its standard error is kept. */
export class ServerProcess {
  readonly exited: Promise<number | null>;
  hasExited = false;
  private readonly child: ChildProcess;
  private stderr = '';

  constructor(cliPath: string, args: string[]) {
    // `detached`: the terminal's Ctrl-C must not hit it before we stop what works on it.
    this.child = spawn('/bin/sh', ['-c', guarded, 'holdpoint-temporal', cliPath, ...args], {
      env: serverEnvironment(),
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
    });
    this.child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (this.stderr = (this.stderr + text).slice(-4000)));
    this.child.stdin?.on('error', () => undefined);
    this.exited = new Promise((resolve) => {
      const ended = (code: number | null) => {
        this.hasExited = true;
        this.signal('SIGKILL', true);
        resolve(code);
      };
      this.child.once('exit', ended);
      this.child.once('error', (error) => {
        this.stderr += error.message;
        ended(null);
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** To the server alone, or to its whole group: the guard too, which would later signal a pid that is no longer the server's. */
  private signal(name: NodeJS.Signals, group = false): void {
    try {
      if (this.pid) process.kill(group ? -this.pid : this.pid, name);
    } catch {
      // gone already
    }
  }

  async stop(): Promise<void> {
    if (!this.hasExited) this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL', true), stopLimitMs);
    await this.exited;
    clearTimeout(timer);
  }

  /** The last lines it wrote to standard error, as one. */
  lastWords(): string {
    const lines = this.stderr.split('\n').map((line) => line.trim());
    return lines.filter(Boolean).slice(-3).join(' | ').slice(-600) || 'it wrote nothing to standard error';
  }
}
