import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Acquires the lock file, unless a running process holds it. A stale lock left by a crash is taken over, which
 * `tookOver` reports.
 */
export function takeLock(file) {
  mkdirSync(dirname(file), { recursive: true });
  const mine = `${file}.${process.pid}`;
  let tookOver = false;
  for (;;) {
    writeFileSync(mine, JSON.stringify(identityOf(process.pid)), { mode: 0o600 });
    try {
      // Unlike writing, linking a complete file is atomic, and fails if another process was first.
      linkSync(mine, file);
      return { taken: true, tookOver, release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    } finally {
      rmSync(mine, { force: true });
    }
    const holder = read(file);
    if (holder && isRunning(holder)) return { taken: false, pid: JSON.parse(holder).pid };
    if (holder !== undefined) moveAside(file, holder, `${mine}.stale`);
    tookOver = true;
  }
}

/** Waits until the lock is free and acquires it. Resolves with the function that releases it. */
export async function waitForLock(file) {
  for (let waits = 0; ; waits++) {
    const lock = takeLock(file);
    if (lock.taken) return lock.release;
    if (waits === 20)
      console.error(`Waiting for another command in this checkout (pid ${lock.pid})…`);
    await delay(100);
  }
}

// If several processes find the same stale lock, only one succeeds in moving it.
function moveAside(file, holder, aside) {
  try {
    renameSync(file, aside);
    // Another process may have taken it over since it was read: restore it.
    if (read(aside) !== holder) linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

function isRunning(holder) {
  try {
    const { pid, startedAt } = JSON.parse(holder);
    process.kill(pid, 0);
    return identityOf(pid).startedAt === startedAt;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A pid can be reused. Together with the start time, if the system reports it, it identifies one process. */
function identityOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in brackets, which may contain any character; the start time is field 22.
    return { pid, startedAt: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] };
  } catch {
    return { pid };
  }
}
