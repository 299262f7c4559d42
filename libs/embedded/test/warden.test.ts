import { fork } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import test from 'ava';

import { isAlive, startNats } from '../index.js';
import { temporaryDirectory } from './temporary-directory.js';

test('stops the servers gracefully when the process that started them is killed', async (t) => {
  const directory = await temporaryDirectory(t);
  const parent = fork(fileURLToPath(new URL('./fixtures/start-both.js', import.meta.url)), [
    directory,
  ]);
  const pids = await new Promise<number[]>((resolve) =>
    parent.once('message', (pids) => resolve(pids as number[])),
  );
  t.true(pids.every(isAlive));

  parent.kill('SIGKILL');
  await until(() => !pids.some(isAlive));
  // A graceful stop removes the file; a killed server leaves it.
  t.false((await readdir(join(directory, 'postgres', 'cluster'))).includes('postmaster.pid'));
  await until(async () =>
    (await readdir(tmpdir())).every((name) => !name.startsWith(`roster-postgres-${parent.pid}-`)),
  );
});

test('runs the server outside the process group of the terminal', async (t) => {
  const server = await startNats({ dataDir: await temporaryDirectory(t) });
  t.teardown(() => server.stop());
  t.not(await processGroup(server.pid), await processGroup(process.pid));
});

test('leaves no server running when the warden itself is killed', async (t) => {
  const server = await startNats({ dataDir: await temporaryDirectory(t) });
  const [, , , parentPid] = await statOf(server.pid);
  process.kill(Number(parentPid), 'SIGKILL');
  await server.exited;
  await until(() => !isAlive(server.pid));
  await server.stop();
  t.pass();
});

test('kills a server that does not stop on request', async (t) => {
  const server = await startNats({ dataDir: await temporaryDirectory(t) });
  server.kill('SIGSTOP');
  await server.stop();
  t.deepEqual(await server.exited, { code: null, signal: 'SIGKILL' });
});

async function processGroup(pid: number): Promise<string | undefined> {
  return (await statOf(pid))[4];
}

async function statOf(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ');
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  for await (const _ of setInterval(10)) {
    if (await condition()) return;
    if (Date.now() > deadline) throw new Error('The condition was not met within 20 s.');
  }
}
