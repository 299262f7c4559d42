import { rm } from 'node:fs/promises';
import { eventStream } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import {
  attached,
  durable,
  id,
  idsOf,
  open,
  publish,
  publishMany,
  readerFor,
  stream,
} from './event-readers.js';
import { busFor, natsFor } from '../running-bus.js';

test('continues after NATS was killed', async (t) => {
  const nats = await natsFor(t);
  const bus = await busFor(t, nats);
  const publisher = await bus.openEvents(stream);
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
  const { seen } = await readerFor(t, bus, pause, { inFlightMax: 8, ackWaitMs: 3000 });
  await publishMany(publisher, 0, 200);
  await eventually(() => seen.length > 20);
  nats.kill('SIGKILL');
  await nats.restart();
  await eventually(() => bus.link.up);
  await eventually(() => publish(publisher, 200).then(() => true));
  await eventually(
    async () => idsOf(seen).length === 201 && bus.link.up && (await open(bus)) === 0,
    { timeoutMs: 15_000 },
  );
  // Redelivered events were marked.
  const times = Map.groupBy(seen, ({ id }) => id);
  for (const [, [, ...repeated]] of times) t.true(repeated.every(({ suspect }) => suspect));
});

test('creates a missing consumer again, and marks every redelivered event', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const { seen } = await readerFor(t, bus);
  await attached(bus);
  await publishMany(publisher, 0, 5);
  await eventually(async () => seen.length === 5 && (await open(bus)) === 0);
  const manager = await bus.link.nats.jetstreamManager();
  await manager.consumers.delete(eventStream, durable);
  await eventually(() => seen.length === 10, { timeoutMs: 15_000 });
  t.true(seen.slice(5).every(({ suspect }) => suspect));
  await publish(publisher, 5);
  await eventually(() => seen.length === 11);
  t.false(seen[10]!.suspect);
});

test('creates a missing stream again', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const { seen } = await readerFor(t, bus);
  await attached(bus);
  await publish(publisher, 0);
  await eventually(() => seen.length === 1);
  const manager = await bus.link.nats.jetstreamManager();
  await manager.streams.delete(eventStream);
  await eventually(() => publish(publisher, 1).then(() => true), { timeoutMs: 20_000 });
  await eventually(() => seen.length === 2, { timeoutMs: 15_000 });
  t.deepEqual(idsOf(seen), [id(0), id(1)]);
});

test('does not acknowledge an event of a deleted stream: another event may have its sequence now', async (t) => {
  const nats = await natsFor(t);
  const bus = await busFor(t, nats);
  const publisher = await bus.openEvents(stream);
  const [lost, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let failures = 1;
  const { seen } = await readerFor(t, bus, async (event) => {
    if (event.id === id(0)) await lost.promise;
    else if (failures-- > 0) await later.promise;
  });
  await attached(bus);
  await publish(publisher, 0);
  await eventually(() => seen.length === 1);
  nats.kill('SIGKILL');
  await nats.exited;
  await rm(nats.dataDir, { recursive: true });
  await nats.restart();
  // At the sequence of the event that is still being handled.
  await eventually(() => publish(publisher, 1).then(() => true));
  await eventually(() => seen.length === 2);
  lost.resolve();
  await publish(publisher, 2);
  await eventually(() => seen.length === 3);
  later.reject(new Error('not handled'));
  await eventually(() => seen.filter((event) => event.id === id(1)).length === 2);
  await eventually(async () => (await open(bus)) === 0);
  t.deepEqual(idsOf(seen), [id(0), id(1), id(2)]);
});

test('stop() waits for the events being handled, and gives the others back immediately', async (t) => {
  const nats = await natsFor(t);
  const bus = await busFor(t, nats);
  const publisher = await bus.openEvents(stream);
  await publishMany(publisher, 0, 50);
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  t.teardown(() => finish());
  // Otherwise its events would be delivered only after the ack wait.
  const stopping = await readerFor(t, bus, () => finished, { inFlightMax: 5, ackWaitMs: 60_000 });
  await eventually(() => stopping.seen.length === 5);
  let stopped = false;
  const stop = stopping.consumer.stop().then(() => (stopped = true));
  const other = await readerFor(t, await busFor(t, nats), undefined, { ackWaitMs: 60_000 });
  await eventually(() => other.seen.length === 45);
  t.false(stopped);
  finish();
  await stop;
  await eventually(async () => (await open(bus)) === 0);
  t.is(stopping.seen.length, 5);
  t.is(idsOf([...stopping.seen, ...other.seen]).length, 50);
});
