import { throwawayDatabase, throwawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { spawnProbe, type Probe } from '../process/probe-process.js';

test('with MIGRATE=false it waits for the migrations of its release, and names those that are missing', async (t) => {
  const { spawn } = await servers(t);
  const waits = spawn({ RELEASE: 'second', MIGRATE: 'false' });
  t.is(
    await waits.waits(),
    'The schema probe is too old: it lacks 1-first, 2-second. Run roster migrate probe.',
  );
  await spawn({ RELEASE: 'second' }).ready();
  await waits.ready();
});

test('a release accepts a schema with later migrations, whether it migrates or not', async (t) => {
  const { spawn } = await servers(t);
  await spawn({ RELEASE: 'second' }).ready();
  for (const MIGRATE of ['true', 'false']) {
    const former = spawn({ RELEASE: 'first', MIGRATE });
    await former.ready();
    t.deepEqual(former.reasons(), []);
  }
});

test('a release without the migration that a contracting one requires waits, and logs it', async (t) => {
  const { spawn } = await servers(t);
  await spawn({ RELEASE: 'third' }).ready();
  const reason =
    'The schema probe is too new: it requires a release that includes 2-second. Run such a release, or restore the database of this one.';
  for (const MIGRATE of ['true', 'false']) {
    const refused = spawn({ RELEASE: 'first', MIGRATE });
    t.is(await refused.waits(), reason);
    t.like(await refused.get('/readyz'), { status: 503, body: { waitingFor: reason } });
  }
  await spawn({ RELEASE: 'second' }).ready();
});

test('several processes migrate at once, one after the other, and build indexes concurrently', async (t) => {
  const { spawn } = await servers(t);
  const all = Array.from({ length: 3 }, () => spawn({ RELEASE: 'indexed' }));
  await Promise.all(all.map((probe) => probe.ready()));
  const applied = all.flatMap((probe) => probe.lines().flatMap(({ applied }) => applied ?? []));
  t.deepEqual(applied, ['1-first', '2-second', '3-index']);
});

test('an index whose concurrent build was interrupted is built again', async (t) => {
  const { spawn, databaseUrl } = await servers(t);
  await spawn({ RELEASE: 'second' }).ready();
  const client = new pg.Client(databaseUrl);
  await client.connect();
  t.teardown(() => client.end());
  await client.query(`insert into probe.things values (1, '', ''), (2, '', '')`);
  // A failed build leaves an invalid index, like an interrupted one.
  const build = 'create unique index concurrently things_new on probe.things (new)';
  await t.throwsAsync(client.query(build), { code: '23505' });
  const indexes = async () => {
    const { rows } = await client.query<{ valid: boolean; unique: boolean }>(
      `select indisvalid as valid, indisunique as unique from pg_index where indexrelid = 'probe.things_new'::regclass`,
    );
    return rows;
  };
  t.deepEqual(await indexes(), [{ valid: false, unique: true }]);
  await spawn({ RELEASE: 'indexed' }).ready();
  t.deepEqual(await indexes(), [{ valid: true, unique: false }]);
});

test('logs that another session is migrating, and continues when it has ended', async (t) => {
  const { spawn, databaseUrl } = await servers(t);
  const other = new pg.Client(databaseUrl);
  other.on('error', () => {});
  await other.connect();
  await other.query(`select pg_advisory_lock(hashtext('roster:migrate:probe'))`);
  const waits = spawn({ RELEASE: 'first' });
  t.regex(await waits.waits(), /^Another session is migrating the schema probe\. /);
  await other.end();
  await waits.ready();
});

test('a schema with tables of other software is reported and not changed', async (t) => {
  const { spawn, databaseUrl } = await servers(t);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  t.teardown(() => client.end());
  const contents = async () => {
    const { rows } = await client.query(
      `select relname, relkind from pg_class where relnamespace = 'probe'::regnamespace order by 1`,
    );
    return rows;
  };
  for (const [tables, named] of [
    ['create table probe.things (id int, title text)', 'things'],
    // Migration tables of other programs are not mistaken for Roster's.
    ['create table probe.migrations (version int)', 'migrations, things'],
    [
      `alter table probe.migrations add name text; insert into probe.migrations values (1, 'theirs')`,
      'things',
    ],
    [
      'create table probe.a (); create table probe.b (); create table probe.c (); create table probe.d (); create table probe.e ()',
      'a, b, c, d, e and 1 more',
    ],
  ] as const) {
    await client.query(`create schema if not exists probe; ${tables}`);
    const before = await contents();
    for (const MIGRATE of ['true', 'false']) {
      const refused = spawn({ RELEASE: 'first', MIGRATE });
      t.is(
        await refused.waits(),
        `DATABASE_URL: The schema probe holds tables that are not Roster's (${named}). Name a database of its own, or rename that schema.`,
      );
      t.false(refused.output().includes('"stack"'));
      refused.kill('SIGKILL');
    }
    t.deepEqual(await contents(), before);
  }
  const mended = spawn({ RELEASE: 'first' });
  await mended.waits();
  await client.query('alter schema probe rename to theirs');
  await mended.ready();
});

async function servers(t: ExecutionContext) {
  const [nats, postgres] = await Promise.all([throwawayNats(), throwawayDatabase()]);
  t.teardown(() => Promise.all([nats.stop(), postgres.drop()]));
  const spawn = (env: Record<string, string>): Probe =>
    spawnProbe(t, { NATS_URL: nats.url, DATABASE_URL: postgres.url, ...env });
  return { spawn, databaseUrl: postgres.url };
}
