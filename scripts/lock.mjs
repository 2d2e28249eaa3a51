import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

// Longer than any build: past it the pid belongs to some unrelated process that came later.
const longestHoldMs = 5 * 60_000;
const age = (file) => Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());

const readPid = (file) => {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

/** True when the lock is ours now. The file appears with the pid already in it (link), so nobody ever reads a half-written one. */
function tryLock(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
  const pid = readPid(file);
  // Our own pid in a lock we do not hold is left from an earlier life (containers hand out the same pid again).
  if (pid !== undefined && (pid === process.pid || !isAlive(pid) || age(file) > longestHoldMs))
    breakStaleLock(file, pid);
  return false;
}

/** Moves the lock away before it judges it again: of two processes that both saw a dead holder, none can remove the other's new lock. */
function breakStaleLock(file, deadPid) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readPid(aside) !== deadPid) linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/**
 * Takes the lock file, waiting as long as a live process holds it; a lock whose process is dead is broken.
 * Resolves to a function that gives it back.
 */
export async function lock(file) {
  while (!tryLock(file)) await sleep(100);
  return () => {
    if (readPid(file) === process.pid) rmSync(file, { force: true });
  };
}
