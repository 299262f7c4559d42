import { once } from 'node:events';
import { Fault } from '@roster/contracts';
import { openLog } from '@roster/process';
import { throwawayDatabase } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { openDatabase, type Database } from '../../index.js';
import { connectionOf, isIdle } from '../../database/server-client.js';

const whatToDo = 'this version of pg lacks it: change libs/storage/database/server-client.ts';

test('a client of pg has its connection with its stream, its errors, and whether it is idle', async (t) => {
  const database = await throwawayDatabase();
  t.teardown(() => database.drop());
  const client = new pg.Client(database.url);
  t.teardown(() => client.end());
  await client.connect();
  t.is(typeof connectionOf(client)?.stream?.destroy, 'function', whatToDo);
  t.true(isIdle(client), whatToDo);
  const reported = once(connectionOf(client), 'errorMessage');
  const failed = t.throwsAsync(client.query('select missing'));
  t.false(isIdle(client), whatToDo);
  const [{ code }] = (await reported) as [{ code?: string }];
  t.is(code, '42703', whatToDo);
  await failed;
});

test('the EntityManager runs statements by `execute` of its connection, and converts errors by `convertException`', async (t) => {
  const observed: string[] = [];
  const database = await openEmpty(t, observed);
  await database.em.execute('select 1');
  t.deepEqual(observed, ['orm.other'], 'MikroORM: change libs/storage/database/session.ts');
  const locked = `do $$ begin raise exception 'locked' using errcode = '55P03'; end $$`;
  const error = await t.throwsAsync(database.em.execute(locked));
  t.true(error instanceof Fault, 'MikroORM: change libs/storage/database/session.ts');
});

test('all statements pass `query` of a client, and connections of transactions pass `connect` of the pool by promise', async (t) => {
  const database = await openEmpty(t);
  const limit = { name: 'test.limit', text: `select current_setting('lock_timeout') as limit` };
  const preambles = 'pg: change libs/storage/database/preambles/preamble.ts';
  t.deepEqual(await database.query(limit, []), [{ limit: '2s' }], preambles);
  t.deepEqual(await database.em.execute(limit.text), [{ limit: '2s' }], preambles);
  await database.transaction(async (session) => {
    t.deepEqual(await session.query(limit, []), [{ limit: '2s' }], preambles);
  });
  // The only connection of transactions would never be released.
  const kill = { name: 'test.kill', text: 'select pg_terminate_backend(pg_backend_pid())' };
  await t.throwsAsync(database.transaction((session) => session.query(kill, [])));
  await t.throwsAsync(database.transaction((session) => session.query(kill, [])));
  const { used } = await database.poolUse();
  t.is(used, 0, 'pg or kysely: change `watch` of libs/storage/database/servers.ts');
});

async function openEmpty(t: ExecutionContext, observed: string[] = []): Promise<Database> {
  const postgres = await throwawayDatabase();
  const database = await openDatabase({
    url: postgres.url,
    schema: 'demo',
    poolMax: 2,
    entities: [],
    migrations: [],
    log: openLog('demo', 'silent'),
    observe: (statement) => observed.push(statement),
  });
  t.teardown(async () => {
    await database.close();
    await postgres.drop();
  });
  return database;
}
