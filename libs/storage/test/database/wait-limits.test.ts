import { Migration } from '@mikro-orm/migrations';
import { Contended, currentLockWait, LockWait, withLockWait } from '@roster/bus';
import type { Fault } from '@roster/contracts';
import { eventually, throwawayDatabase } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { openLog } from '@roster/process';
import { Database, openDatabase, type Session } from '../../index.js';

const update = {
  name: 'test.update',
  text: 'update things set name = name where id = $1 returning id',
};

test('a statement that waits too long for a lock fails with unavailable, in a transaction and outside of one', async (t) => {
  const { database, holder } = await thingsFor(t);
  await holder.query('begin; update things set name = name where id = 1');
  const ways: (() => Promise<unknown>)[] = [
    () => database.query(update, [1]),
    () => database.em.execute('update things set name = name where id = 1'),
    () => database.transaction((session) => session.query(update, [1])),
    () => database.transaction(({ em }) => em.execute('update things set name = name')),
  ];
  const faults = await Promise.all(
    ways.map((way) => way().catch((error: unknown) => error as Fault)),
  );
  for (const fault of faults)
    t.like(fault, { name: 'Fault', code: 'unavailable', details: { retryAfterSeconds: 1 } });
  t.deepEqual(await database.query(update, [2]), [{ id: 2 }]);
  await holder.query('rollback');
  t.deepEqual(await database.query(update, [1]), [{ id: 1 }]);
});

test('an idle transaction loses its locks', async (t) => {
  const { url, holder } = await thingsFor(t);
  const database = await open(t, `${url}?idle_in_transaction_session_timeout=300`);
  const begun = Promise.withResolvers<void>();
  const paused = Promise.withResolvers<void>();
  t.teardown(() => paused.resolve());
  const work = database.transaction(async (session) => {
    await session.query(update, [1]);
    begun.resolve();
    await paused.promise;
    await session.query(update, [1]);
  });
  await begun.promise;
  // Without limits: waits as long as required.
  await holder.query('update things set name = name where id = 1');
  paused.resolve();
  await t.throwsAsync(work, { name: 'Fault', code: 'timeout' });
});

test('the limits apply to services, not to migrations, and the database URL takes precedence', async (t) => {
  const { url } = await thingsFor(t);
  const database = await openDatabase({
    ...optionsOf(url),
    migrations: [{ name: 'seen', class: SeeLimits }],
  });
  t.teardown(() => database.close());
  const seen = { name: 'test.seen', text: 'select lock, idle from demo.seen' };
  t.deepEqual(await database.query(seen, []), [{ lock: '0', idle: '0' }]);
  const current = { name: 'test.limits', text: `select ${limits}` };
  t.deepEqual(await database.query(current, []), [{ lock: '2s', idle: '10s' }]);
  const configured = await open(t, `${url}?lock_timeout=60000`);
  t.deepEqual(await configured.query(current, []), [{ lock: '1min', idle: '10s' }]);
});

const limits = `current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle`;

class SeeLimits extends Migration {
  override up(): void {
    this.addSql(`create table demo.seen as select ${limits}`);
  }
}

test('a batch that waits for locks only briefly limits its own statements, in a transaction and outside of one', async (t) => {
  const { url, database, holder } = await thingsFor(t);
  const current = {
    name: 'test.lock-timeout',
    text: `select current_setting('lock_timeout') as lock`,
  };
  const briefly = new LockWait(30);
  const lockTimeoutOf = async (session: Session) => (await session.query(current, []))[0];
  await holder.query('begin; update things set name = name where id = 1');
  await withLockWait(briefly, async () => {
    t.deepEqual(await lockTimeoutOf(database), { lock: '30ms' });
    const refused = database.transaction(async (session) => {
      t.deepEqual(await lockTimeoutOf(session), { lock: '30ms' });
      await session.query(update, [1]);
    });
    // It is rolled back, and its settings are.
    await t.throwsAsync(refused, { instanceOf: Contended });
    t.deepEqual(await lockTimeoutOf(database), { lock: '30ms' });
    await database.transaction(async (session) =>
      session.afterCommit(() => t.is(currentLockWait(), undefined)),
    );
  });
  t.deepEqual(await lockTimeoutOf(database), { lock: '2s' });
  t.deepEqual(await database.transaction(lockTimeoutOf), { lock: '2s' });
  const shorter = await open(t, `${url}?lock_timeout=25`);
  t.deepEqual(await withLockWait(briefly, () => lockTimeoutOf(shorter)), { lock: '25ms' });
  const longer = await open(t, `${url}?lock_timeout=60000`);
  t.deepEqual(await withLockWait(briefly, () => lockTimeoutOf(longer)), { lock: '30ms' });
  t.deepEqual(await lockTimeoutOf(longer), { lock: '1min' });
});

test('a deadlock fails one of the transactions with unavailable', async (t) => {
  const { database } = await thingsFor(t);
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const cross = (first: number, second: number) =>
    database.transaction(async (session) => {
      await session.query(update, [first]);
      both[first - 1]!.resolve();
      await both[second - 1]!.promise;
      await session.query(update, [second]);
      return 'ok';
    });
  const outcomes = await Promise.all(
    [cross(1, 2), cross(2, 1)].map((outcome) =>
      outcome.catch((error: unknown) => (error as Fault).code),
    ),
  );
  t.deepEqual(outcomes.toSorted(), ['ok', 'unavailable']);
});

async function thingsFor(t: ExecutionContext) {
  const { url, drop } = await throwawayDatabase();
  const holder = new pg.Client({ connectionString: url });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query(
    `create table things (id int primary key, name text); insert into things values (1, ''), (2, '')`,
  );
  t.teardown(async () => {
    await holder.end();
    await eventually(() => drop().then(() => true));
  });
  return { url, holder, database: await open(t, url) };
}

const optionsOf = (url: string) => ({
  ...{ url, schema: 'demo', poolMax: 6, entities: [], migrations: [] },
  log: openLog('demo', 'silent'),
});

async function open(t: ExecutionContext, url: string): Promise<Database> {
  const database = await Database.open(optionsOf(url));
  t.teardown(() => database.close());
  return database;
}
