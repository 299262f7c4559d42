import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Migration } from '@mikro-orm/migrations';
import { Fault } from '@roster/contracts';
import { startPostgres, type EmbeddedServer } from '@roster/embedded';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { openLog } from '@roster/process';
import { Database, openDatabase } from '../../index.js';

class CreateThings extends Migration {
  override up(): void {
    this.addSql('create table demo.things (id uuid primary key default gen_random_uuid())');
  }
}

const log = openLog('demo', 'silent');
const insert = {
  name: 'things.insert',
  text: 'insert into demo.things default values returning inet_server_port() as port',
};

test('of several hosts the one that accepts writes is used, at any position', async (t) => {
  const [primary, standby] = await cluster(t);
  for (const order of [
    [primary, standby],
    [standby, primary],
  ]) {
    const database = await open(t, urlOf(order));
    t.deepEqual(await portsOf(database, 8), [primary.port]);
    await database.close();
  }
});

test('a promoted standby is used; meanwhile statements fail only with unavailable and timeout', async (t) => {
  const [primary, standby] = await cluster(t);
  const database = await open(t, urlOf([primary, standby]));
  t.deepEqual(await portsOf(database, 8), [primary.port]);
  const refusals = new Set<unknown>();
  const test = new AbortController();
  t.teardown(() => test.abort());
  const moved = (async () => {
    while (!test.signal.aborted) {
      const results = await Promise.allSettled([
        database.query<{ port: number }>(insert, []),
        database.transaction((session) => session.query<{ port: number }>(insert, [])),
      ]);
      for (const result of results) {
        if (result.status === 'fulfilled') {
          if (result.value[0]!.port === standby.port) return;
        } else refusals.add(codeOf(result.reason));
      }
    }
  })();
  primary.kill('SIGKILL');
  await primary.exited;
  await eventually(() => refusals.has('unavailable'));
  await setReadOnly(standby, false);
  await moved;
  t.deepEqual(await portsOf(database, 8), [standby.port]);
  refusals.delete('unavailable');
  refusals.delete('timeout');
  t.deepEqual([...refusals], []);
});

test('when a primary becomes read-only, writes are unavailable and its connections are not used again', async (t) => {
  const [primary, standby] = await cluster(t);
  const database = await open(t, urlOf([primary, standby]));
  t.deepEqual(await portsOf(database, 4), [primary.port]);
  await setReadOnly(primary, true);
  for (const write of [
    () => database.query(insert, []),
    () => database.transaction((session) => session.query(insert, [])),
    () => database.transaction(({ em }) => em.execute(insert.text)),
  ]) {
    // Only a session that began before the change observes it.
    const error = await t.throwsAsync(write());
    t.is(codeOf(error), 'unavailable', String(error));
  }
  await t.throwsAsync(database.ping());
  await setReadOnly(standby, false);
  t.deepEqual(await portsOf(database, 8), [standby.port]);
  t.true(await database.ping());
  // It returned as the standby of the other server.
  t.deepEqual(await portsOf(database, 8), [standby.port]);
});

test('with a single host, too, connections to a server that became read-only are closed', async (t) => {
  const [primary] = await cluster(t);
  const database = await open(t, urlOf([primary]));
  await setReadOnly(primary, true);
  t.is(codeOf(await t.throwsAsync(database.query(insert, []))), 'unavailable');
  await setReadOnly(primary, false);
  t.deepEqual(await portsOf(database, 4), [primary.port]);
});

test('reports for every host why it cannot be used', async (t) => {
  const [primary, standby] = await cluster(t);
  primary.kill('SIGKILL');
  await primary.exited;
  const error = await t.throwsAsync(open(t, urlOf([primary, standby])));
  t.is(
    error.message,
    `DATABASE_URL: PostgreSQL at 127.0.0.1:${primary.port} refuses the connection (ECONNREFUSED), ` +
      `at 127.0.0.1:${standby.port} is read-only: start it, or correct host and port; ` +
      'use the address of the primary, or list every server of the cluster.',
  );
});

/** Two servers with the same password and schema. The second is read-only. */
async function cluster(t: ExecutionContext): Promise<[EmbeddedServer, EmbeddedServer]> {
  const servers = await Promise.all([server(t), server(t)]);
  for (const { url } of servers) await (await open(t, url)).close();
  await setReadOnly(servers[1], true);
  return servers;
}

async function server(t: ExecutionContext): Promise<EmbeddedServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'roster-test-failover-'));
  const started = await startPostgres({ dataDir, durable: false });
  t.teardown(async () => {
    await started.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });
  await execute(started.url, `alter role roster password 'same'`);
  return { ...started, url: started.url.replace(/:[^:@]*@/, ':same@') };
}

async function setReadOnly({ url }: EmbeddedServer, readOnly: boolean): Promise<void> {
  await execute(url, `alter system set default_transaction_read_only = ${readOnly}`);
  await execute(url, 'select pg_reload_conf()');
  await eventually(
    async () =>
      (await execute(url, 'show default_transaction_read_only', {})) === (readOnly ? 'on' : 'off'),
  );
}

const writes = { options: '-c default_transaction_read_only=off' };

async function execute(url: string, statement: string, more: pg.ClientConfig = writes) {
  const client = new pg.Client({ connectionString: url, ...more });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

const urlOf = (servers: readonly EmbeddedServer[]): string =>
  `postgres://roster:same@${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/roster`;

async function open(t: ExecutionContext, url: string): Promise<Database> {
  const database = await openDatabase({
    url,
    schema: 'demo',
    poolMax: 4,
    entities: [],
    migrations: [{ name: 'things', class: CreateThings }],
    log,
  });
  t.teardown(() => database.close());
  return database;
}

/** Runs this many concurrent writes, half of them in transactions. */
async function portsOf(database: Database, count: number): Promise<number[]> {
  const rows = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      n % 2 === 0
        ? database.query<{ port: number }>(insert, [])
        : database.transaction((session) => session.query<{ port: number }>(insert, [])),
    ),
  );
  return [...new Set(rows.flat().map(({ port }) => port))];
}

const codeOf = (error: unknown): unknown => (error instanceof Fault ? error.code : error);
