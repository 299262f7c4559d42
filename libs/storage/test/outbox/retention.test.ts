import { eventually } from '@roster/testing';
import test from 'ava';
import { dying, newEvents, run, unpublished } from './running-outbox.js';

test('deletes published rows after their retention, and never an unpublished one', async (t) => {
  const { database, outbox } = await run(t, { sweepAfterMs: 3_600_000, sweepEveryMs: 50 });
  const published = newEvents(3);
  await database.transaction((session) => outbox.add(session, published));
  await eventually(async () => (await unpublished(database)) === 0);
  const stuck = newEvents(1);
  await database.transaction((session) => outbox.add(dying(session), stuck));
  const left = async () =>
    (
      await database.query<{ id: string }>(
        { name: 'test.left', text: 'select id from probe.outbox order by id' },
        [],
      )
    ).map(({ id }) => id);
  await outbox.purge(3600);
  t.is((await left()).length, 4);
  await database.query(
    { name: 'test.age', text: `update probe.outbox set created_at = now() - interval '25 hours'` },
    [],
  );
  await outbox.purge(86_400);
  t.deepEqual(
    await left(),
    stuck.map(({ id }) => id),
  );
});

test('deletes expired published rows soon after a start', async (t) => {
  const { database, outbox, open } = await run(t);
  await database.transaction((session) => outbox.add(session, newEvents(3)));
  await eventually(async () => (await unpublished(database)) === 0);
  const count = async () =>
    (await database.query({ name: 'test.count', text: 'select 1 from probe.outbox' }, [])).length;
  // Retention of one hour: the outbox that is already running retains them for a day.
  await database.query(
    { name: 'test.age', text: `update probe.outbox set created_at = now() - interval '2 hours'` },
    [],
  );
  t.is(await count(), 3);
  await open({ keepSeconds: 3600 });
  await eventually(async () => (await count()) === 0);
});
