import { eventStream, Fault, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { consumeEvents, Deferred, Unusable } from '../../index.js';
import {
  attached,
  durable,
  id,
  idsOf,
  open,
  publish,
  publishMany,
  readerFor,
  silent,
  stream,
  workspaceId,
} from './event-readers.js';
import { busFor, natsFor } from '../running-bus.js';

test('delivers every event once, unchanged and not marked as redelivered, with its position', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  t.is(await bus.streamPosition(), null);
  const publisher = await bus.openEvents(stream);
  t.is((await bus.streamPosition())?.sequence, 0);
  const { seen } = await readerFor(t, bus);
  await attached(bus);
  await publishMany(publisher, 0, 300);
  await eventually(() => seen.length >= 300);
  await eventually(async () => (await open(bus)) === 0);
  t.is(seen.length, 300);
  t.is(idsOf(seen).length, 300);
  t.true(seen.every(({ suspect }) => !suspect));
  const { events, position, ...event } = seen[7]!;
  t.deepEqual(event, {
    id: id(7),
    workspaceId,
    rawWorkspaceId: uuidOf('workspace', workspaceId),
    kind: 'CONTACT_CREATED',
    suspect: false,
    deliveries: 1,
    republished: false,
  });
  t.deepEqual(seen.at(-1)!.position, await bus.streamPosition());
  t.is(position.sequence, 8);
  t.deepEqual(events(), [
    { id: uuidOf('event', id(7)), body: '{"n":7,"name":"Zoë 🦊"}', details: undefined },
  ]);
});

test('delivers an event again after its handler threw, marked as possibly handled', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  let failures = 2;
  const { seen } = await readerFor(t, bus, async () => {
    if (failures-- > 0) throw new Error('not now');
  });
  await attached(bus);
  await publish(publisher, 1);
  await eventually(() => seen.length === 3);
  t.deepEqual(
    seen.map(({ suspect }) => suspect),
    [false, true, true],
  );
  await eventually(async () => (await open(bus)) === 0);
});

test('a handler whose dependency is unavailable is logged once, without a stack', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const lines: { err?: { code?: string; stack?: string } }[] = [];
  const log = { ...silent, warn: (fields: object) => void lines.push(fields) };
  let calls = 0;
  const consumer = await consumeEvents(
    bus.link,
    log,
    { durable, stream, inFlightMax: 64, ackWaitMs: 60_000, retryAfterMs: 50 },
    async () => {
      calls += 1;
      throw new Fault('unavailable', 'No responders.');
    },
  );
  t.teardown(() => consumer.stop());
  await publishMany(publisher, 0, 20);
  await eventually(() => calls >= 60);
  t.is(lines.length, 1);
  t.is(lines[0]?.err?.code, 'unavailable');
  t.is(lines[0]?.err?.stack, undefined);
});

test('acknowledges an event only once it is handled, whatever the outcome of later events', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const gate = Promise.withResolvers<void>();
  await readerFor(t, bus, async (event) => {
    if (event.id === id(1)) await gate.promise;
  });
  // Before the reader is stopped, which waits for the events being handled.
  t.teardown(() => gate.resolve());
  await publish(publisher, 1);
  await publish(publisher, 2);
  const manager = await bus.link.nats.jetstreamManager();
  const info = await eventually(async () => {
    const now = await manager.consumers.info(eventStream, durable);
    return now.delivered.stream_seq === 2 && now.num_ack_pending < 2 && now;
  });
  t.is(info.num_ack_pending, 1);
  t.is(info.ack_floor.stream_seq, 0);
  gate.resolve();
  await eventually(async () => (await open(bus)) === 0);
});

test('gives a deferred event back, and another process receives it after the delay', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const { seen: deferred } = await readerFor(t, bus, async () => {
    throw new Deferred('not known here', 10);
  });
  await attached(bus);
  await publish(publisher, 1);
  await eventually(() => deferred.length >= 2);
  t.is(await open(bus), 1);
  const { seen } = await readerFor(t, bus);
  await eventually(() => seen.length === 1);
  await eventually(async () => (await open(bus)) === 0);
});

test('does not deliver an event again that can never be handled', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const { seen } = await readerFor(t, bus, async ({ id: given }) => {
    if (given === id(1)) throw new Unusable('nothing to be done');
  });
  await publish(publisher, 1);
  await bus.link.nats.jetstream().publish('events.unknown.UNKNOWN', 'no ID and no workspace');
  await publish(publisher, 2);
  await eventually(async () => seen.length === 2 && (await open(bus)) === 0);
  t.deepEqual(idsOf(seen), [id(1), id(2)]);
});

test('marks an event that was published again as possibly handled', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const { seen } = await readerFor(t, bus);
  await attached(bus);
  await publish(publisher, 1, true);
  await eventually(() => seen.length === 1);
  t.true(seen[0]!.suspect);
});

/** Of 60 events, the most that are handled at once, if the first `count` of them wait for each other. */
async function mostAtOnce(
  t: ExecutionContext,
  limits: Parameters<typeof readerFor>[3],
  count: number,
): Promise<number> {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  await publishMany(publisher, 0, 60);
  let now = 0;
  let most = 0;
  const full = Promise.withResolvers<void>();
  const handle = async () => {
    most = Math.max(most, ++now);
    if (now === count) full.resolve();
    await full.promise;
    await new Promise((resolve) => setTimeout(resolve, 5));
    now -= 1;
  };
  const { seen } = await readerFor(t, bus, handle, limits);
  await eventually(() => seen.length === 60);
  return most;
}

test('handles at most the configured number of events concurrently', async (t) => {
  t.is(await mostAtOnce(t, { inFlightMax: 7 }, 7), 7);
});

test('begins no event while those being handled have too many bytes', async (t) => {
  // Each event has 26 or 27.
  t.is(await mostAtOnce(t, { inFlightBytesMax: 50 }, 2), 2);
});

test('keeps an event whose handling takes longer than the ack wait', async (t) => {
  const nats = await natsFor(t);
  const [first, second] = [await busFor(t, nats), await busFor(t, nats)];
  const publisher = await first.openEvents(stream);
  const handle = () => new Promise<void>((resolve) => setTimeout(resolve, 12_000));
  // Otherwise the other process would receive it.
  const readers = [
    await readerFor(t, first, handle, { ackWaitMs: 5000 }),
    await readerFor(t, second, handle, { ackWaitMs: 5000 }),
  ];
  await attached(first, 2);
  await publish(publisher, 1);
  const seen = () => readers.flatMap((reader) => reader.seen);
  await eventually(async () => seen().length > 0 && (await open(first)) === 0, {
    timeoutMs: 60_000,
  });
  t.is(seen().length, 1);
});

test('shares the events with a second reader, each handled once', async (t) => {
  const nats = await natsFor(t);
  const [first, second] = [await busFor(t, nats), await busFor(t, nats)];
  const publisher = await first.openEvents(stream);
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 2));
  const readers = [
    await readerFor(t, first, pause, { inFlightMax: 4 }),
    await readerFor(t, second, pause, { inFlightMax: 4 }),
  ];
  await attached(first, 2);
  await publishMany(publisher, 0, 200);
  const all = () => readers.flatMap(({ seen }) => seen);
  await eventually(async () => all().length >= 200 && (await open(first)) === 0);
  t.is(all().length, 200);
  t.is(idsOf(all()).length, 200);
  t.true(readers.every(({ seen }) => seen.length > 0));
});
