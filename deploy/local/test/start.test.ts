import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { temporaryDirectory, throwawayDatabase } from '@roster/testing';
import test from 'ava';

import { takeLock } from '#lock';

test('a second start with the same home reports it in one line, and changes nothing', async (t) => {
  const home = await temporaryDirectory(t);
  const lock = takeLock(join(home, 'lock'));
  t.true(lock.taken);
  t.deepEqual(await start({ ROSTER_HOME: home, PORT: '0' }), {
    code: 1,
    output: `Roster is already running on ${home} (pid ${process.pid}).\n`,
  });
  t.deepEqual(await readdir(home), ['lock']);
});

test('a port in use is reported in one line before any process starts', async (t) => {
  const home = await temporaryDirectory(t);
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  t.deepEqual(await start({ ROSTER_HOME: home, PORT: String(port) }), {
    code: 1,
    output: `Port ${port} is already in use on 127.0.0.1. Choose another: PORT=${port + 1} npm start\n`,
  });
  t.deepEqual(await readdir(home), []);
});

test('every invalid environment variable is reported', async (t) => {
  const { code, output } = await start({
    ROSTER_HOME: await temporaryDirectory(t),
    PORT: 'high',
    // In milliseconds longer than a timer of Node.
    READY_TIMEOUT_SECONDS: '2147484',
  });
  t.is(code, 1);
  t.regex(
    output,
    /^Invalid environment variables:\n {2}PORT: .*integer.*\n {2}READY_TIMEOUT_SECONDS: .*86400.*\n$/,
  );
});

test('a database that cannot be migrated is reported in one line, before any process starts', async (t) => {
  const { url, drop } = await throwawayDatabase();
  t.teardown(drop);
  const home = await temporaryDirectory(t);
  const DATABASE_URL = url.replace(/\/\/[^@]*@/, '//roster:secret@');
  const env = { ROSTER_HOME: home, PORT: '0', DATABASE_URL, NATS_URL: 'nats://127.0.0.1:9' };
  t.deepEqual(await start(env), {
    code: 1,
    output:
      'Starting…\nThe database could not be migrated.\n' +
      `DATABASE_URL: PostgreSQL at ${new URL(url).host} rejects the user name or password (28P01): correct them.\n`,
  });
});

async function start(env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  const script = fileURLToPath(new URL('../start.js', import.meta.url));
  const child = spawn(process.execPath, [script], { env: { PATH: process.env.PATH, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}
