import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isAlive } from '@roster/embedded';
import { eventually, temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';

import { nodeProcess } from '../supervision/node-process.js';
import type { Part } from '../supervision/part.js';
import { readIfThere } from '../private-file.js';
import { Supervisor, type SupervisorOptions } from '../supervision/supervisor.js';

test('stops the groups in reverse order, and leaves no process', async (t) => {
  const bench = await open(t, { stopTimeoutMs: 30_000 });
  await bench.supervisor.start([bench.child('database')]);
  await bench.supervisor.start([bench.child('service')]);
  await bench.supervisor.start([bench.child('gateway')]);
  const pids = bench.pids();
  await bench.supervisor.stop();

  t.deepEqual(bench.stops(), ['gateway', 'service', 'database']);
  t.is(pids.length, 3);
  t.false(pids.some(isAlive));
});

test('kills processes that do not stop in time', async (t) => {
  const bench = await open(t, { stopTimeoutMs: 4000 });
  await bench.supervisor.start([bench.child('first')]);
  await bench.supervisor.start([bench.child('stuck', 'lingers')]);
  const pids = bench.pids();
  await bench.supervisor.stop();

  t.false(pids.some(isAlive));
  t.deepEqual(bench.stops(), ['stuck', 'first']);
});

test('reports a child that exits, with its name and last lines, and restarts it', async (t) => {
  const bench = await open(t);
  await bench.supervisor.start([bench.child('users')]);
  const [pid] = bench.pids();
  process.kill(pid!, 'SIGKILL');

  await eventually(() => bench.pids().length === 2, { describe: 'a second run' });
  await eventually(() => bench.output().includes('users is running again.'), {
    describe: 'its report',
  });
  t.regex(
    bench.output(),
    /users was ended by SIGKILL\. Its last lines in .*users\.log:\n {2}users says hello\n/,
  );
  t.regex(bench.output(), /Starting users again\.\n/);
});

test('gives up on a child that repeatedly fails to start, with its last lines', async (t) => {
  const bench = await open(t);
  const error = await t.throwsAsync(bench.supervisor.start([bench.child('webhooks', 'fails')]));
  t.regex(error.message, /^webhooks does not start: it ended with code 7\. Its last lines in /);
  t.regex(error.message, /webhooks cannot find its configuration/);
});

test('gives up on a child that is not ready in time', async (t) => {
  const bench = await open(t, { readyTimeoutMs: 5000 });
  const error = await t.throwsAsync(bench.supervisor.start([bench.child('slow', 'never-ready')]));
  t.regex(
    error.message,
    /^slow was not ready within 5 s\. Its last lines in .*\n {2}slow says hello$/,
  );
});

test('leaves no process when it is killed itself', async (t) => {
  const directory = await temporaryDirectory(t);
  const parent = fork(fileURLToPath(new URL('./fixtures/supervise.js', import.meta.url)), [
    directory,
  ]);
  await new Promise((resolve) => parent.once('message', resolve));
  const pids = pidsIn(join(directory, 'journal'));
  t.is(pids.filter(isAlive).length, 2);
  parent.kill('SIGKILL');
  await eventually(() => !pids.some(isAlive), { describe: 'the children to stop' });
  t.pass();
});

async function open(t: ExecutionContext, options: Partial<SupervisorOptions> = {}) {
  const directory = await temporaryDirectory(t);
  const journal = join(directory, 'journal');
  let output = '';
  const supervisor = new Supervisor({
    logDir: join(directory, 'logs'),
    print: (text) => (output += `${text}\n`),
    readyTimeoutMs: 60_000,
    ...options,
  });
  t.teardown(() => supervisor.stop());
  return {
    supervisor,
    output: () => output,
    pids: () => pidsIn(journal),
    stops: () => linesOf(journal, 'stops').map(([name]) => name),
    child: (name: string, behaviour?: string): Part =>
      nodeProcess({
        name,
        script: fileURLToPath(new URL('./fixtures/child.js', import.meta.url)),
        env: { CHILD_NAME: name, CHILD_JOURNAL: journal, CHILD_BEHAVIOUR: behaviour },
      }),
  };
}

function pidsIn(journal: string): number[] {
  return linesOf(journal, 'runs').map(([, , pid]) => Number(pid));
}

function linesOf(journal: string, what: string): string[][] {
  const lines = (readIfThere(journal) ?? '').split('\n').map((line) => line.split(' '));
  return lines.filter(([, happened]) => happened === what);
}
