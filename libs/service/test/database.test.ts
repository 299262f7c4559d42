import { defineEntity, p } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { throwawayDatabase } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { openLog } from '../index.js';
import { openDatabase, violatedUnique, type Database } from '../storage.js';

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

test('an error shows nothing of the row that a constraint refused, and still says which constraint', async (t) => {
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

test('the stack of a failed statement leads to who asked', async (t) => {
  const database = await openThings(t);
  const asksWrongly = async () =>
    await database.query({ name: 'things.wrong', text: 'select wrong from demo.things' }, []);
  const error = await t.throwsAsync(asksWrongly());
  t.regex(error.stack!, /asksWrongly/);
});

async function openThings(t: ExecutionContext): Promise<Database> {
  const postgres = await throwawayDatabase();
  t.teardown(() => postgres.drop());
  const database = await openDatabase({
    url: postgres.url,
    schema: 'demo',
    poolMax: 2,
    entities: [Thing],
    migrations: [{ name: 'things', class: CreateThings }],
    log: openLog('demo', 'silent'),
  });
  t.teardown(() => database.close());
  return database;
}

const caught = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
