import { eventually } from '@roster/testing';
import test from 'ava';
import { dying, newEvents, outsideIds, run, streamed, unpublished } from './running-outbox.js';

test('the sweeper publishes events left by a crash, once, also with two sweepers', async (t) => {
  const { bus, database, outbox, open } = await run(t);
  await open();
  const events = newEvents(700);
  await database.transaction((session) => outbox.add(dying(session), events));
  await eventually(async () => (await unpublished(database)) === 0, { timeoutMs: 20_000 });
  t.deepEqual((await streamed(bus)).toSorted(), outsideIds(events));
});

test('events committed while NATS is unreachable are published after reconnection', async (t) => {
  const { nats, bus, database, outbox } = await run(t);
  const before = newEvents(2);
  await database.transaction((session) => outbox.add(session, before));
  await eventually(async () => (await unpublished(database)) === 0);
  nats.kill('SIGKILL');
  await eventually(() => !bus.link.up);
  const away = newEvents(5);
  await database.transaction((session) => outbox.add(session, away));
  t.is(await unpublished(database), 5);
  await nats.restart();
  await eventually(async () => (await unpublished(database)) === 0, { timeoutMs: 20_000 });
  t.deepEqual([...new Set(await streamed(bus))].toSorted(), outsideIds([...before, ...away]));
});

test('does not mark events whose outcome is unknown because the connection was lost', async (t) => {
  const { nats, bus, database, outbox } = await run(t, { sweepAfterMs: 50, sweepEveryMs: 50 });
  const events = newEvents(200);
  await database.transaction((session) => outbox.add(session, events));
  nats.kill('SIGKILL');
  await eventually(() => !bus.link.up);
  await nats.restart();
  await eventually(async () => (await unpublished(database)) === 0, { timeoutMs: 20_000 });
  const found = new Set(await streamed(bus));
  t.deepEqual(
    outsideIds(events).filter((id) => !found.has(id)),
    [],
  );
});
