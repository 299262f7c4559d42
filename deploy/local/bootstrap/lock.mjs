import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Takes the lock that the file stands for, unless a process that still runs holds it. What a crash left behind is
 * taken over: `tookOver` says so.
 */
export function takeLock(file) {
  mkdirSync(dirname(file), { recursive: true });
  const mine = `${file}.${process.pid}`;
  let tookOver = false;
  for (;;) {
    writeFileSync(mine, JSON.stringify(identityOf(process.pid)), { mode: 0o600 });
    try {
      // Unlike writing, linking a finished file is one step, and fails when another was there first.
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

/** Takes the lock as soon as nobody holds it any more. Resolves with what releases it. */
export async function waitForLock(file) {
  for (let waits = 0; ; waits++) {
    const lock = takeLock(file);
    if (lock.taken) return lock.release;
    if (waits === 20)
      console.error(`Waiting for another command in this checkout (pid ${lock.pid})…`);
    await delay(100);
  }
}

// Of several that find the same stale lock, one gets to move it.
function moveAside(file, holder, aside) {
  try {
    renameSync(file, aside);
    // Somebody may have taken it over since it was read: give it back.
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

/** A pid alone is used again; with its start time (where the system tells) it names one process. */
function identityOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in brackets, and may hold anything; the start time is the 22nd.
    return { pid, startedAt: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] };
  } catch {
    return { pid };
  }
}
