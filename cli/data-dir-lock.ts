import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive } from './temporal-download';

/** A process, told apart from a later one with the same id by the time it started, where the system says (Linux). */
interface ProcessMark {
  pid: number;
  startedAt?: string;
}

interface LockContent {
  owner: ProcessMark;
  server?: ProcessMark;
}

/** The data folder belongs to another live Holdpoint. One line, made to be printed as it is. */
export class DataDirInUseError extends Error {
  override readonly name = 'DataDirInUseError';

  constructor(
    readonly dataDir: string,
    readonly pid: number,
  ) {
    super(
      `the data folder ${dataDir} is in use by another Holdpoint (process ${pid}): stop that one, or set HOLDPOINT_DATA_DIR to another folder`,
    );
  }
}

export interface DataDirLock {
  /** Notes the server that works on the folder, so that a later start can end it if it outlives us. */
  recordServer(pid: number): void;
  release(): void;
}

/** Start time of a process in ticks since boot, with the boot it belongs to; a process id alone comes back after a reboot, or in a container. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, in parentheses, may hold blanks; after it come the state and, as field 22, the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    // Dead, only not collected by its parent.
    if (state === 'Z') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${ticks}`;
  } catch {
    return undefined;
  }
}

const mark = (pid: number): ProcessMark => ({ pid, startedAt: startOf(pid) });

function isRunning(process: ProcessMark): boolean {
  if (!isProcessAlive(process.pid)) return false;
  return process.startedAt === undefined || startOf(process.pid) === process.startedAt;
}

function read(file: string): LockContent | undefined {
  try {
    const content = JSON.parse(readFileSync(file, 'utf8')) as LockContent;
    return typeof content.owner.pid === 'number' ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Ends a server whose Holdpoint was killed: two servers on one database file would spoil it. */
async function endOrphan(server: ProcessMark): Promise<void> {
  for (let waited = 0; isRunning(server); waited += 50) {
    // It is on its way out already (the guard in dev-server.ts); help it after a while.
    if (waited >= 4000) process.kill(server.pid, 'SIGKILL');
    await sleep(50);
  }
}

/** Puts the lock in place with its content in one step, so that nobody reads a half-written one. False: there is one already. */
function create(file: string, content: LockContent): boolean {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, JSON.stringify(content));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Takes a stale lock away; if it turns out to be a new one, set by someone quicker, it is put back. */
function removeStale(file: string, stale: LockContent | undefined): void {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
    if (JSON.stringify(read(aside)) !== JSON.stringify(stale)) linkSync(aside, file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Throws `DataDirInUseError` while a live process holds the folder. Takes nothing. */
export function checkDataDirFree(dataDir: string): void {
  const found = read(path.join(dataDir, 'holdpoint.lock'));
  if (found && isRunning(found.owner)) throw new DataDirInUseError(dataDir, found.owner.pid);
}

/**
 * Makes the folder if need be and takes its lock file. A lock whose process is dead is broken, after the server that process may have
 * left has ended. Throws `DataDirInUseError` while a live process, this one included, holds it.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  // The folder holds the runs of everyone, and the API key.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = path.join(dataDir, 'holdpoint.lock');
  const content: LockContent = { owner: mark(process.pid) };
  while (!create(file, content)) {
    const found = read(file);
    if (found && isRunning(found.owner)) throw new DataDirInUseError(dataDir, found.owner.pid);
    if (found?.server) await endOrphan(found.server);
    removeStale(file, found);
  }
  return {
    recordServer(pid) {
      content.server = mark(pid);
      const next = `${file}.${process.pid}`;
      writeFileSync(next, JSON.stringify(content));
      renameSync(next, file);
    },
    release() {
      if (JSON.stringify(read(file)) === JSON.stringify(content)) rmSync(file, { force: true });
    },
  };
}
