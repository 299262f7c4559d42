import type { Database } from '@roster/storage';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Partitions } from '../../queue/partitions.js';
import { dispatcherDatabase } from '../dispatcher-database.js';
import { idAt } from '../id-at.js';
import { runDispatcher } from '../running-dispatcher.js';

const dayMs = 86_400_000;
const noon = Date.UTC(2026, 10, 21, 12);

async function days(database: Database, table = 'deliveries'): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    {
      name: 'test.partitions',
      text: `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = $1::regclass order by 1`,
    },
    [`dispatcher.${table}`],
  );
  return rows.map(({ name }) => name.slice(-8));
}

test('creates the partitions of today and the next three days', async (t) => {
  const database = await dispatcherDatabase(t);
  await new Partitions(database, 30).prepare(noon);
  for (const table of ['events', 'deliveries'])
    t.deepEqual(await days(database, table), ['20261121', '20261122', '20261123', '20261124']);
});

test('creates the partitions of a day once, even if several processes do so concurrently', async (t) => {
  const database = await dispatcherDatabase(t);
  const processes = Array.from({ length: 4 }, () => new Partitions(database, 30));
  await Promise.all(
    processes.flatMap((each) => [each.prepare(noon), each.ensure(noon - 5 * dayMs)]),
  );
  t.is((await days(database)).length, 5);
});

test('puts an id into the partition of its UTC day, at both ends of the day', async (t) => {
  const database = await dispatcherDatabase(t);
  const partitions = new Partitions(database, 30);
  const first = Date.UTC(2026, 10, 21);
  for (const ms of [first - 1, first, first + dayMs - 1, first + dayMs])
    await partitions.ensure(ms);
  const inserted = await database.query<{ day: string }>(
    {
      name: 'test.insert',
      text: `insert into dispatcher.events (workspace_id, id, kind, body)
        select gen_random_uuid(), id, 'X', '{}' from unnest($1::uuid[]) id returning tableoid::regclass::text as day`,
    },
    [[first - 1, first, first + dayMs - 1, first + dayMs].map(idAt)],
  );
  t.deepEqual(
    inserted.map(({ day }) => day.slice(-8)),
    ['20261120', '20261121', '20261121', '20261122'],
  );
});

test('drops the partitions past the retention, and no others', async (t) => {
  const database = await dispatcherDatabase(t);
  const partitions = new Partitions(database, 2);
  for (let age = 0; age <= 6; age += 1) await partitions.ensure(noon - age * dayMs);
  await partitions.drop(noon);
  for (const table of ['events', 'deliveries'])
    t.deepEqual(await days(database, table), ['20261119', '20261120', '20261121']);
});

test('the function that drops partitions drops no other table', async (t) => {
  const database = await dispatcherDatabase(t);
  await new Partitions(database, 2).ensure(noon);
  const drop = { name: 'test.drop', text: 'select dispatcher.drop_partition($1)' };
  for (const name of ['queue', 'events', 'migrations', 'no_such_table', 'queue; drop table queue'])
    await database.query(drop, [name]);
  const [row] = await database.query<{ tables: number }>(
    {
      name: 'test.tables',
      text: `select count(to_regclass('dispatcher.' || name))::int as tables
        from unnest(array['queue', 'events', 'migrations', 'events_20261121']) name`,
    },
    [],
  );
  t.is(row!.tables, 4);
});

test('soon after its start a dispatcher drops partitions and statistics past their retention', async (t) => {
  const { database, start, stopAll } = await runDispatcher(t);
  await stopAll();
  await new Partitions(database, 30).ensure(Date.now() - 40 * dayMs);
  await database.query(
    {
      name: 'test.insert-hours',
      text: `insert into dispatcher.webhook_hours (workspace_id, webhook_id, hour, attempts, successes, durations)
        select gen_random_uuid(), gen_random_uuid(), date_trunc('hour', now()) - days * interval '1 day', 1, 1, '{1}'
        from unnest(array[1, 9]) days`,
    },
    [],
  );
  const hours = async () => {
    const text = 'select 1 from dispatcher.webhook_hours';
    return (await database.query({ name: 'test.hours', text }, [])).length;
  };
  t.is((await days(database)).length, 5);
  t.is(await hours(), 2);
  await start();
  await eventually(async () => (await days(database)).length === 4 && (await hours()) === 1);
});

test('counts deliveries that retention drops while they are pending', async (t) => {
  const { database, metric, start, stopAll } = await runDispatcher(t);
  await stopAll();
  await database.query(
    {
      name: 'test.insert-queued',
      text: `insert into dispatcher.queue (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
        select gen_random_uuid(), gen_random_uuid(), id, id, 1, 'retry', 'infinity' from unnest($1::uuid[]) id`,
    },
    [[40, 41, 1].map((age) => idAt(Date.now() - age * dayMs))],
  );
  await start();
  const series = 'roster_deliveries_expired_total{service="dispatcher"}';
  await eventually(async () => (await metric(series, 1)) === 2);
  const text = 'select 1 from dispatcher.queue';
  t.is((await database.query({ name: 'test.queued', text }, [])).length, 1);
});
