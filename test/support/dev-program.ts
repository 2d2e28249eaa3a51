/** `npm start` as a test runs it: the all-in-one program on a data folder of its own. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApiCaller, eventually } from './http';
import { Program } from './processes';

/** Settings for `holdpoint dev`: the Temporal CLI of this test run, any free port. */
export function devSettings(dataDir: string, more: Record<string, string> = {}): Record<string, string> {
  const cli = process.env.HOLDPOINT_TEST_TEMPORAL_CLI ?? '';
  return { HOLDPOINT_DATA_DIR: dataDir, PORT: '0', TEMPORAL_CLI_PATH: cli, ...more };
}

export interface DevProgram {
  program: Program;
  api: ApiCaller;
  key: string;
  temporalPid: number;
}

/** Starts it and resolves once it has printed where everything is. */
export async function startDev(dataDir: string, more: Record<string, string> = {}): Promise<DevProgram> {
  const program = Program.start(['dev'], devSettings(dataDir, more));
  const key = await program.printed(/^ +API key +(\S+)/m, 120);
  const base = await program.printed(/API +(http\S+)\/api\/platform\/v1/);
  return { program, key, api: new ApiCaller(base, key), temporalPid: serverPid(dataDir) };
}

/** The Temporal server that works on a data folder, as the folder's lock names it. */
function serverPid(dataDir: string): number {
  const lock = readFileSync(path.join(dataDir, 'holdpoint.lock'), 'utf8');
  return (JSON.parse(lock) as { server: { pid: number } }).server.pid;
}

/** Resolves to true once nothing is left of the server's process group: the server and what guards it. */
export async function isGroupGone(pid: number): Promise<boolean> {
  return eventually(() => {
    try {
      process.kill(-pid, 0);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ESRCH';
    }
  }, 15);
}

/** Runs lines through `sh`, as a person who pastes them; resolves to what they printed. */
export async function runInShell(lines: string): Promise<string> {
  const shell = spawn('sh', { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  shell.stdin.end(lines);
  await new Promise((resolve) => shell.once('close', resolve));
  return output;
}
