import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';

import { takeLock } from '#lock';

test('is held by one process at a time, and identifies the holder', async (t) => {
  const file = await lockFile(t);
  const lock = takeLock(file);
  t.like(lock, { taken: true, tookOver: false });
  t.deepEqual(takeLock(file), { taken: false, pid: process.pid });
  if (lock.taken) lock.release();
  t.like(takeLock(file), { taken: true, tookOver: false });
});

test('is taken over from a process that has exited', async (t) => {
  const file = await lockFile(t);
  await writeFile(file, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1' }));
  t.like(takeLock(file), { taken: true, tookOver: true });
});

test('is taken over when the pid now belongs to another process', async (t) => {
  const file = await lockFile(t);
  await writeFile(file, JSON.stringify({ pid: process.ppid, startedAt: '1' }));
  t.like(takeLock(file), { taken: true, tookOver: true });
});

test('is taken over when a crash left an incomplete file', async (t) => {
  const file = await lockFile(t);
  await writeFile(file, '{"pi');
  t.like(takeLock(file), { taken: true, tookOver: true });
});

async function lockFile(t: ExecutionContext): Promise<string> {
  const directory = await temporaryDirectory(t);
  return join(directory, 'lock');
}
