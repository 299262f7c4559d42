import { createServer, type AddressInfo } from 'node:net';
import { defineEntity, p } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { eventually, throwawayDatabase } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { openLog } from '@roster/process';
import { preparedName } from '../../database/statement.js';
import { Database, openDatabase, type Session } from '../../index.js';

const Thing = defineEntity({
  name: 'Thing',
  tableName: 'things',
  schema: 'demo',
  properties: { id: p.integer().primary(), name: p.text() },
});

class CreateThings extends Migration {
  override up(): void {
    this.addSql('create table demo.things (id integer primary key, name text not null)');
  }
}

const setting = {
  name: 'test.setting',
  text: `select current_setting('enable_seqscan') as seqscan, current_setting('jit') as jit`,
};
type Settings = { seqscan: string; jit: string };
const free = { ...setting, name: 'test.free', plan: 'any' } as const;

test('a statement is prepared once per connection, in transactions and outside of them', async (t) => {
  // One connection for transactions, one for other statements.
  const database = await openThings(t);
  const one = { name: 'test.one', text: 'select $1::int as one' };
  const prepared = {
    name: 'test.prepared',
    text: `select name, (generic_plans + custom_plans)::int as runs from pg_prepared_statements where statement = $1`,
  };
  const twice = async (session: Session) => {
    await session.query(one, [1]);
    await session.query(one, [2]);
    return session.query(prepared, [one.text]);
  };
  const name = preparedName(one);
  t.deepEqual(await database.transaction(twice), [{ name, runs: 2 }]);
  t.deepEqual(await database.transaction((session) => session.transaction(twice)), [
    { name, runs: 4 },
  ]);
  t.deepEqual(await twice(database), [{ name, runs: 6 }]);
});

test('statements with equal labels and different texts run on one connection', async (t) => {
  const database = await openThings(t);
  const one = { name: 'test.same', text: 'select $1::int as one' };
  const other = { name: 'test.same', text: 'select $1::text as other' };
  const both = async (session: Session) => {
    t.deepEqual(await session.query(one, [1]), [{ one: 1 }]);
    t.deepEqual(await session.query(other, ['a']), [{ other: 'a' }]);
    t.deepEqual(await session.query({ ...one }, [2]), [{ one: 2 }]);
  };
  await both(database);
  await database.transaction(both);
});

test('statements with long labels and different texts run on one connection', async (t) => {
  const database = await openThings(t);
  const label = `test.${'long'.repeat(20)}`;
  const [one, other] = [`select $1::int as one`, `select $1::text as other`];
  t.deepEqual(await database.query({ name: label, text: one }, [1]), [{ one: 1 }]);
  t.deepEqual(await database.query({ name: label, text: other }, ['a']), [{ other: 'a' }]);
  const prepared = 'select name from pg_prepared_statements where statement = any ($1)';
  const names = await database.query<{ name: string }>({ name: 'test.names', text: prepared }, [
    [one, other],
  ]);
  t.deepEqual(
    names.map(({ name }) => name).toSorted(),
    [one, other].map((text) => preparedName({ name: label, text })).toSorted(),
  );
});

test('prepared statements are planned with index scans and not compiled, those of the ORM with default settings', async (t) => {
  const database = await openThings(t);
  const isByKey = ([row]: Settings[]) => {
    t.is(row!.jit, row!.seqscan);
    return row!.seqscan === 'off';
  };
  const byKey = async (session: Session) => isByKey(await session.query<Settings>(setting, []));
  const orm = async ({ em }: Session) => isByKey(await em.execute<Settings[]>(setting.text));
  for (let n = 0; n < 3; n += 1) {
    t.true(await byKey(database));
    t.false(await orm(database));
    const failing = database.transaction(async (session) => {
      t.true(await byKey(session));
      t.false(await orm(session));
      await t.throwsAsync(
        session.transaction(async (inner) => {
          t.true(await byKey(inner));
          throw new Error('rolled back');
        }),
      );
      t.true(await byKey(session));
      t.false(await orm(session));
      throw new Error('rolled back too');
    });
    await t.throwsAsync(failing, { message: 'rolled back too' });
    t.true(await database.transaction(byKey));
    t.deepEqual(await database.query(free, []), [{ seqscan: 'on', jit: 'on' }]);
  }
});

test('a statement planned for an almost empty table uses index scans', async (t) => {
  const database = await openThings(t);
  await database.em.execute(`insert into demo.things values (1, 'first'); analyze demo.things`);
  const find = {
    name: 'test.find',
    text: 'select name from unnest($1::int[]) as requested (id) join demo.things using (id)',
  };
  const any = { ...find, name: 'test.find-any', plan: 'any' } as const;
  const planOf = ({ name, ...how }: typeof find | typeof any) =>
    database.transaction(async (session) => {
      for (let n = 0; n < 10; n += 1) await session.query({ ...how, name }, [[1]]);
      const explain = `explain (costs off) execute "${preparedName({ ...how, name })}" ('{1}')`;
      const lines = await session.query<{ 'QUERY PLAN': string }>(
        { ...how, name: `${name}-plan`, text: explain },
        [],
      );
      return lines.map((line) => line['QUERY PLAN']).join('\n');
    });
  t.regex(await planOf(find), /Index Scan using things_pkey/);
  t.regex(await planOf(any), /Seq Scan on things/);
});

test('sends no startup parameters that poolers reject', async (t) => {
  const sent: string[] = [];
  const pooler = createServer((socket) => {
    socket.once('data', (message) => {
      const words = message.subarray(8).toString().split('\0');
      sent.push(...words.filter((word, at) => at % 2 === 0 && word !== ''));
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
  t.teardown(() => pooler.close());
  const { port } = pooler.address() as AddressInfo;
  const database = await Database.open({
    ...things,
    url: `postgres://nobody:secret@127.0.0.1:${port}/none?sslmode=disable`,
    log: openLog('demo', 'silent'),
  });
  t.teardown(() => database.close());
  await t.throwsAsync(database.query(setting, []));
  await eventually(() => sent.length > 0);
  // The parameters that PgBouncer accepts. It rejects all others, including `options`, unless its configuration allows them.
  const taken = ['user', 'database', 'client_encoding', 'application_name'];
  t.deepEqual(
    sent.filter((name) => !taken.includes(name)),
    [],
  );
});

test('every statement is measured: prepared or of the ORM, in a transaction or not, failed or not', async (t) => {
  const measured: string[] = [];
  const database = await openThings(t, (statement, seconds) => {
    t.true(seconds >= 0 && seconds < 60);
    measured.push(statement);
  });
  const wrong = { name: 'test.wrong', text: 'select wrong' };
  const run = async (session: Session) => {
    await session.query(setting, []);
    await session.em.find(Thing, { id: 1 });
    await session.em.nativeDelete(Thing, { id: 1 });
    await session.em.insert(Thing, { id: 1, name: '' });
    await session.em.nativeUpdate(Thing, { id: 1 }, { name: 'a' });
    await session.em.execute('select 1');
    await t.throwsAsync(session.query(wrong, []));
  };
  const expected = [
    'test.setting',
    'orm.select.things',
    'orm.delete.things',
    'orm.insert.things',
    'orm.update.things',
    'orm.other',
    'test.wrong',
  ];
  measured.length = 0;
  await run(database);
  t.deepEqual(measured.splice(0), expected);
  await database.transaction(run);
  t.deepEqual(measured.splice(0), expected);
});

const things = {
  schema: 'demo',
  poolMax: 2,
  entities: [Thing],
  migrations: [{ name: 'things', class: CreateThings }],
};

async function openThings(
  t: ExecutionContext,
  observe: (statement: string, seconds: number) => void = () => undefined,
): Promise<Database> {
  const postgres = await throwawayDatabase();
  t.teardown(() => postgres.drop());
  const database = await openDatabase({
    ...things,
    url: postgres.url,
    log: openLog('demo', 'silent'),
    observe,
  });
  t.teardown(() => database.close());
  return database;
}
