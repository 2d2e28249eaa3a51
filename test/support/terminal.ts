/** The `holdpoint` program as a script runs it, and as a person at a terminal does. */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { eventually } from './http';

export const MAIN = path.resolve(__dirname, '../../dist/cli/main.js');

export type Env = Record<string, string>;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Only these settings, besides where programs and the home folder are. */
function environment(env: Env): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...env };
}

/** Runs it to its end with no terminal anywhere; `input` is its standard input. */
export async function runCli(args: readonly string[], env: Env, input = '', cwd?: string): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: environment(env),
    ...(cwd === undefined ? {} : { cwd }),
  });
  const ended: Ended = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
  child.stdin.on('error', () => undefined).end(input);
  ended.code = await new Promise((resolve) => child.once('close', resolve));
  return ended;
}

/** Keys that a person presses. */
export const KEY = { enter: '\r', down: '\u001b[B', escape: '\u001b', ctrlC: '\u0003' } as const;

/** It, or a shell, on a real terminal (a pty) of 100 columns. */
export class TerminalProgram {
  /** All that was shown, as it came: with whatever a terminal acts upon. */
  raw = '';
  readonly exited: Promise<number | null>;
  private ended = false;

  private constructor(private readonly child: ChildProcess) {
    this.exited = new Promise((resolve) => child.once('close', resolve));
    void this.exited.then(() => (this.ended = true));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.raw += text));
  }

  static start(args: readonly string[], env: Env): TerminalProgram {
    return TerminalProgram.of([process.execPath, MAIN, ...args], env);
  }

  /** Any program. */
  static of(command: readonly string[], env: Env): TerminalProgram {
    const all = environment({ TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env });
    const bridge = [path.join(__dirname, 'in_terminal.py'), ...command];
    return new TerminalProgram(spawn('python3', bridge, { env: all, stdio: ['pipe', 'pipe', 'inherit'] }));
  }

  /** What a person reads: without colours and cursor movements. */
  get shown(): string {
    // eslint-disable-next-line no-control-regex
    return this.raw.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replace(/\r/g, '');
  }

  /** Types, once it shows what is waited for. */
  async type(keys: string, when: RegExp | string): Promise<void> {
    await this.shows(when);
    this.child.stdin?.write(keys);
  }

  async shows(what: RegExp | string): Promise<void> {
    const there = () => (typeof what === 'string' ? this.shown.includes(what) : what.test(this.shown));
    await eventually(() => there() || this.ended, 30);
    if (!there()) throw new Error(`never showed ${String(what)}: ${this.shown}`);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}
