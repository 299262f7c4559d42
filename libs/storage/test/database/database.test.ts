import { defineEntity, p } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import type { Fault } from '@roster/contracts';
import { throwawayDatabase } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { openLog } from '@roster/process';
import { Database, openDatabase, violatedUnique } from '../../index.js';

const Thing = defineEntity({
  name: 'Thing',
  tableName: 'things',
  schema: 'demo',
  properties: { id: p.integer().primary(), name: p.text() },
});

class CreateThings extends Migration {
  override up(): void {
    this.addSql(`create table demo.things (
      id integer primary key, name text not null constraint things_name unique check (name <> '')
    )`);
  }
}

test('the error of a violated constraint names the constraint and contains no values of the row', async (t) => {
  const database = await openThings(t);
  const secret = 'a$& secret\nof two lines';
  const insert = {
    name: 'things.insert',
    text: 'insert into demo.things (id, name) values ($1, $2)',
  };
  await database.query(insert, [1, secret]);
  const ways: (() => Promise<unknown>)[] = [
    () => database.query(insert, [2, secret]),
    () => database.transaction((session) => session.query(insert, [2, secret])),
    () => database.transaction(({ em }) => em.insert(Thing, { id: 2, name: secret })),
    () =>
      database.transaction(async ({ em }) => {
        em.create(Thing, { id: 2, name: secret });
        await em.flush();
      }),
    // Caught within a transaction, as batches do.
    () => database.transaction((session) => caught(session.query(insert, [2, secret]))),
    () =>
      database.transaction((session) =>
        caught(session.transaction(({ em }) => em.insert(Thing, { id: 2, name: secret }))),
      ),
  ];
  for (const way of ways) {
    const error = (await way().catch((thrown: unknown) => thrown)) as Error;
    t.is(violatedUnique(error), 'things_name');
    const shown = JSON.stringify([error.message, error.stack, { ...error }, String(error)]);
    t.false(shown.includes('secret'), shown);
    t.false(shown.includes('two lines'), shown);
  }
});

test('the stack of a failed statement contains the caller', async (t) => {
  const database = await openThings(t);
  const queryWrongly = async () =>
    await database.query({ name: 'things.wrong', text: 'select wrong from demo.things' }, []);
  const error = await t.throwsAsync(queryWrongly());
  t.regex(error.stack!, /queryWrongly/);
});

test('any number of connections that break in transactions are replaced', async (t) => {
  const database = await openThings(t);
  const kill = { name: 'test.kill', text: 'select pg_terminate_backend(pg_backend_pid())' };
  for (let n = 0; n < 5; n += 1) {
    const broken = database.transaction((session) => session.query(kill, []));
    await t.throwsAsync(broken, { code: 'timeout' });
  }
  const one = { name: 'test.one', text: 'select 1 as one' };
  t.deepEqual(await database.transaction((session) => session.query(one, [])), [{ one: 1 }]);
});

test('every kind of access to an unreachable database throws unavailable', async (t) => {
  const database = await Database.open({
    ...things,
    // A port without a listener.
    url: 'postgres://nobody:secret@127.0.0.1:1/none',
    log: openLog('demo', 'silent'),
  });
  t.teardown(() => database.close());
  const ways: (() => Promise<unknown>)[] = [
    () => database.query({ name: 'one', text: 'select 1' }, []),
    () => database.em.find(Thing, { id: 1 }),
    () => database.em.nativeDelete(Thing, { id: 1 }),
    () => database.transaction(({ em }) => em.find(Thing, { id: 1 })),
  ];
  for (const way of ways) {
    const fault = (await way().catch((thrown: unknown) => thrown)) as Fault;
    t.is(fault.code, 'unavailable', String(fault.stack));
    t.regex(fault.reason!, /ECONNREFUSED/);
  }
});

test('a statement has an unknown outcome if its connection is lost', async (t) => {
  const database = await openThings(t);
  const name = 'dies';
  const text = 'select pg_terminate_backend(pg_backend_pid())';
  const ways: (() => Promise<unknown>)[] = [
    () => database.query({ name, text }, []),
    () => database.em.execute(text),
    () => database.transaction(({ em }) => em.execute(text)),
  ];
  for (const way of ways) {
    const fault = (await way().catch((thrown: unknown) => thrown)) as Fault;
    t.is(fault.code, 'timeout', String(fault.stack));
  }
});

test('a step after a commit that fails is logged, and the transaction and its other steps succeed', async (t) => {
  const log = openLog('demo', 'silent');
  const logged: unknown[] = [];
  log.error = (fields: unknown) => void logged.push(fields);
  const database = await openThings(t, log);
  const error = new Error('the step failed');
  let later = false;
  const result = await database.transaction(async (session) => {
    session.afterCommit(() => {
      throw error;
    });
    session.afterCommit(() => (later = true));
    return 'committed';
  });
  t.is(result, 'committed');
  t.true(later);
  t.deepEqual(logged, [{ err: error }]);
});

const things = {
  schema: 'demo',
  poolMax: 2,
  entities: [Thing],
  migrations: [{ name: 'things', class: CreateThings }],
};

async function openThings(t: ExecutionContext, log = openLog('demo', 'silent')): Promise<Database> {
  const postgres = await throwawayDatabase();
  t.teardown(() => postgres.drop());
  const database = await openDatabase({
    ...things,
    url: postgres.url,
    log,
  });
  t.teardown(() => database.close());
  return database;
}

const caught = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
