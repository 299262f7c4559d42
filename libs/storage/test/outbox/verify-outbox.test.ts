import { encodeId, eventStream, type InputOf, type Operations } from '@roster/contracts';
import { callAsSystem, eventually } from '@roster/testing';
import test from 'ava';
import { verifyOutbox } from '../../index.js';
import { dying, newEvents, query, run, streamed, unpublished } from './running-outbox.js';

type Verify = Operations['contacts.verify-outbox'];

test('names rows that are not published, and published ones that the stream lacks, which are published again if it is told to', async (t) => {
  const { bus, database, outbox, nats } = await run(t, {
    sweepAfterMs: 3_600_000,
    sweepEveryMs: 50,
  });
  const published = newEvents(3);
  await database.transaction((session) => outbox.add(session, published));
  await eventually(async () => (await unpublished(database)) === 0);
  const verify = verifyOutbox<Verify>({ database, schema: 'probe', bus });
  const page = async (input: Partial<InputOf<Verify>> = {}) => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const all = { since, olderThanSeconds: 0, repair: false, ...input };
    const [answer] = await verify([{ ...callAsSystem(), input: all }]);
    return answer;
  };
  const none = { count: 0, rows: [] };
  const whole = { unpublished: none, absent: none, compared: 3, repaired: 0, next: null };
  t.deepEqual(await page(), whole);

  const [waiting] = newEvents(1);
  await database.transaction((session) => outbox.add(dying(session), [waiting!]));
  const [, second] = await streamed(bus);
  const manager = await bus.link.nats.jetstreamManager();
  await manager.streams.deleteMessage(eventStream, 2);
  const found = {
    ...whole,
    unpublished: {
      count: 1,
      rows: [{ eventId: encodeId('event', waiting!.id), kind: waiting!.kind }],
    },
    absent: { count: 1, rows: [{ eventId: second, sequence: 2 }] },
  };
  t.like(await page(), found);
  t.like(await page(), found, 'it only reads');
  t.like(await page({ olderThanSeconds: 60 }), { ...found, unpublished: none });
  t.like(await page({ after: { sequence: 2, id: second! } }), { ...whole, compared: 1 });
  const future = new Date(Date.now() + 60_000).toISOString();
  t.like(await page({ since: future }), { absent: none, compared: 0 });

  t.like(await page({ repair: true }), { ...found, repaired: 1 });
  t.like(await page(), { unpublished: { count: 2 }, absent: none, compared: 2 });
  const [row] = await query<{ id: string }>(
    database,
    'select id from probe.outbox where stream_seq is null order by id limit 1',
  );
  t.is(encodeId('event', row!.id), second!);

  nats.kill('SIGKILL');
  await eventually(() => !bus.link.up);
  await t.throwsAsync(page(), { code: 'unavailable' } as object);
});
