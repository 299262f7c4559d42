import { chmod, chown, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import test, { type ExecutionContext } from 'ava';
import pg from 'pg';

import { startPostgres } from '../index.js';
import { temporaryDirectory } from './temporary-directory.js';

test('starts with an empty UTF-8 database that sorts by code point', async (t) => {
  const server = await start(t, await temporaryDirectory(t));
  const [row] = await query(
    server.url,
    `SELECT current_database() AS name, pg_encoding_to_char(encoding) AS encoding, datlocale AS locale,
            lower('ÄÖ') AS lower, 'Z' < 'a' AS "byCodePoint"
       FROM pg_database WHERE datname = current_database()`,
  );
  t.deepEqual(row, {
    name: 'roster',
    encoding: 'UTF8',
    locale: 'C.UTF-8',
    lower: 'äö',
    byCodePoint: true,
  });
});

test('rejects a wrong password, and stores the right one in a file that only its owner can read', async (t) => {
  const dataDir = await temporaryDirectory(t);
  const server = await start(t, dataDir);
  const wrong = new URL(server.url);
  wrong.password = 'guess';
  await t.throwsAsync(query(wrong.href, 'SELECT 1'), { message: /password authentication failed/ });
  t.is((await stat(join(dataDir, 'password'))).mode & 0o777, 0o600);
});

test('logs that a statement failed, without its values', async (t) => {
  const lines: string[] = [];
  const server = await startPostgres({
    dataDir: await temporaryDirectory(t),
    log: (line) => lines.push(line),
  });
  t.teardown(() => server.stop());
  await query(server.url, 'CREATE TABLE emails (email text PRIMARY KEY)');
  const insert = `INSERT INTO emails VALUES ('hunter2@example.com')`;
  await query(server.url, insert);
  await t.throwsAsync(query(server.url, insert), { message: /duplicate key/ });
  await server.stop();
  t.regex(lines.join('\n'), /ERROR: {2}duplicate key/);
  t.notRegex(lines.join('\n'), /hunter2/);
});

test('keeps committed rows after a SIGKILL, on the same port', async (t) => {
  const dataDir = await temporaryDirectory(t);
  const first = await startPostgres({ dataDir });
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  first.kill('SIGKILL');
  t.deepEqual(await first.exited, { code: null, signal: 'SIGKILL' });

  const again = await startPostgres({ dataDir, port: first.port });
  t.teardown(() => again.stop());
  t.is(again.url, first.url);
  t.deepEqual(await query(again.url, 'SELECT answer FROM kept'), [{ answer: 42 }]);
});

test('starts if the pid of its previous run now belongs to another process', async (t) => {
  const dataDir = await temporaryDirectory(t);
  await (await startPostgres({ dataDir })).stop();
  // The pid of this process: alive, and of the same account unless that is root.
  const cluster = join(dataDir, 'cluster');
  const { uid, gid } = await stat(cluster);
  await writeFile(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n1\n5432\n\n\n`);
  await chown(join(cluster, 'postmaster.pid'), uid, gid);
  await start(t, dataDir);
  t.pass();
});

test('reports that a server already runs on the directory', async (t) => {
  const dataDir = await temporaryDirectory(t);
  const server = await start(t, dataDir);
  await t.throwsAsync(startPostgres({ dataDir }), {
    message: `PostgreSQL is already running on ${dataDir}/cluster (pid ${server.pid}).`,
  });
  t.deepEqual(await query(server.url, 'SELECT 1 AS one'), [{ one: 1 }]);
});

test('reports a port that is in use', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  await t.throwsAsync(startPostgres({ dataDir: await temporaryDirectory(t), port }), {
    message: `PostgreSQL cannot listen on 127.0.0.1:${port}: the port is already in use.`,
  });
});

test('applies settings, and turns fsync off only if the server need not be durable', async (t) => {
  const fast = await start(t, await temporaryDirectory(t), { max_connections: '12' });
  t.deepEqual(
    await query(
      fast.url,
      `SELECT current_setting('max_connections') AS max, current_setting('fsync') AS fsync`,
    ),
    [{ max: '12', fsync: 'off' }],
  );
  const durable = await startPostgres({ dataDir: await temporaryDirectory(t) });
  t.teardown(() => durable.stop());
  t.deepEqual(await query(durable.url, `SELECT current_setting('fsync') AS fsync`), [
    { fsync: 'on' },
  ]);
});

test('creates the cluster again if its creation was interrupted', async (t) => {
  const dataDir = await temporaryDirectory(t);
  await writeFile(join(dataDir, 'cluster.new'), 'half done');
  const server = await start(t, dataDir);
  t.deepEqual(await query(server.url, 'SELECT 1 AS one'), [{ one: 1 }]);
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('as root, runs as another account below a directory that only root can enter', async (t) => {
  const parent = await temporaryDirectory(t);
  await chmod(parent, 0o700);
  const server = await start(t, join(parent, 'with a space', 'postgres'));
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  t.notRegex(status, /^Uid:\s+0\b/m);
  t.notRegex(status, /^Groups:.*\b0\b/m);
  t.deepEqual(await query(server.url, 'SELECT 1 AS one'), [{ one: 1 }]);
});

async function start(t: ExecutionContext, dataDir: string, settings: Record<string, string> = {}) {
  const server = await startPostgres({ dataDir, durable: false, settings });
  t.teardown(() => server.stop());
  return server;
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
