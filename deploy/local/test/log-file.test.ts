import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test, { type ExecutionContext } from 'ava';

import { LogFile } from '../supervision/log-file.js';

test('returns the last lines of the current run', async (t) => {
  const log = await open(t);
  log.write('of an earlier run\n');
  log.begin();
  for (let line = 1; line <= 5; line++) log.write(`line ${line}\n`);
  t.deepEqual(log.tail(2), ['line 4', 'line 5']);
  t.is(log.tail(20).length, 5);
});

test('is readable by its owner only', async (t) => {
  const log = await open(t);
  t.is((await stat(log.path)).mode & 0o777, 0o600);
});

test('moves its content to a second file when it is full, and continues', async (t) => {
  const log = await open(t, 100);
  log.begin();
  log.write(`${'x'.repeat(120)}\n`);
  log.bound();
  log.write('after\n');
  t.is(await readFile(log.path, 'utf8'), 'after\n');
  t.is((await readFile(`${log.path}.1`)).length, 121);
  t.deepEqual(log.tail(20), ['after']);
});

test('on a full disk, lines are lost and processes keep running', (t) => {
  const log = new LogFile('/dev/full');
  t.teardown(() => log.close());
  t.notThrows(() => log.write('lost\n'));
  t.notThrows(() => log.write('lost as well\n'));
});

async function open(t: ExecutionContext, bytesMax?: number): Promise<LogFile> {
  const directory = await mkdtemp(join(tmpdir(), 'roster-test-log-'));
  const log = new LogFile(join(directory, 'logs', 'x.log'), bytesMax);
  t.teardown(async () => {
    log.close();
    await rm(directory, { recursive: true, force: true });
  });
  return log;
}
