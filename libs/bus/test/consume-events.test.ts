import { encodeId, eventStream, Fault, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import {
  consumeEvents,
  Unusable,
  type Bus,
  type ConsumedEvent,
  type EventConsumer,
  type EventPublisher,
} from '../index.js';
import { busFor, natsFor } from './running-bus.js';

const stream = { replicas: 1, maxAgeSeconds: 3600 };
const durable = 'readers';
const workspaceId = 'wksp_01h455vb4pex5vsknk084sn02q';
const silent = { debug: () => undefined, warn: () => undefined, error: () => undefined };

interface Reader {
  consumer: EventConsumer;
  seen: ConsumedEvent[];
}

async function readerFor(
  t: ExecutionContext,
  bus: Bus,
  handle: (event: ConsumedEvent) => Promise<void> = async () => undefined,
  options: { inFlightMax?: number; ackWaitMs?: number } = {},
): Promise<Reader> {
  const seen: ConsumedEvent[] = [];
  const consumer = await consumeEvents(
    bus.link,
    silent,
    { durable, stream, inFlightMax: 64, ackWaitMs: 60_000, retryAfterMs: 50, ...options },
    async (event) => {
      seen.push(event);
      await handle(event);
    },
  );
  t.teardown(() => consumer.stop());
  return { consumer, seen };
}

const id = (n: number) =>
  encodeId('event', `01935a2e-7b00-7000-8000-${String(n).padStart(12, '0')}`);
const publish = (publisher: EventPublisher, n: number, republished = false) =>
  publisher.publish({
    id: id(n),
    workspaceId,
    kind: 'CONTACT_CREATED',
    body: `{"n":${n},"name":"Zoë 🦊"}`,
    republished,
  });
async function publishMany(publisher: EventPublisher, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1) await publish(publisher, n);
}
const idsOf = (events: readonly ConsumedEvent[]) => [...new Set(events.map(({ id }) => id))];

/** Events that nobody has acknowledged yet. */
async function open(bus: Bus): Promise<number> {
  const manager = await bus.link.nats.jetstreamManager();
  const info = await manager.consumers.info(eventStream, durable);
  return info.num_ack_pending + info.num_pending;
}

/** Until so many readers have pulled: what is published from here on is new to them. */
const attached = (bus: Bus, readers = 1) =>
  eventually(async () => {
    const manager = await bus.link.nats.jetstreamManager();
    return (await manager.consumers.info(eventStream, durable)).num_waiting >= readers;
  });

test('hands over every event once, byte for byte, as one that is new', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const { seen } = await readerFor(t, bus);
  await attached(bus);
  await publishMany(publisher, 0, 300);
  await eventually(() => seen.length >= 300);
  await eventually(async () => (await open(bus)) === 0);
  t.is(seen.length, 300);
  t.is(idsOf(seen).length, 300);
  t.true(seen.every(({ suspect }) => !suspect));
  const { body, ...event } = seen[7]!;
  t.deepEqual(event, {
    id: id(7),
    rawId: uuidOf('event', id(7)),
    workspaceId,
    rawWorkspaceId: uuidOf('workspace', workspaceId),
    kind: 'CONTACT_CREATED',
    suspect: false,
  });
  t.is(Buffer.from(body).toString(), '{"n":7,"name":"Zoë 🦊"}');
});

test('brings an event again that could not be handled, and says that it may have been', async (t) => {
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

test('a handler that is not available for any event is logged once, without a stack', async (t) => {
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
      throw new Fault('unavailable', 'Nobody serves it.');
    },
  );
  t.teardown(() => consumer.stop());
  await publishMany(publisher, 0, 20);
  await eventually(() => calls >= 60);
  t.is(lines.length, 1);
  t.is(lines[0]?.err?.code, 'unavailable');
  t.is(lines[0]?.err?.stack, undefined);
});

test('acknowledges an event only when it is handled, whatever becomes of those after it', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const gate = Promise.withResolvers<void>();
  await readerFor(t, bus, async (event) => {
    if (event.id === id(1)) await gate.promise;
  });
  // Before the reader is stopped, which waits for what it handles.
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

test('does not bring an event again that can never be handled', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const { seen } = await readerFor(t, bus, async ({ id: given }) => {
    if (given === id(1)) throw new Unusable('nothing to be done');
  });
  await publish(publisher, 1);
  await bus.link.nats.jetstream().publish('events.nobody.NOTHING', 'neither id nor workspace');
  await publish(publisher, 2);
  await eventually(async () => seen.length === 2 && (await open(bus)) === 0);
  t.deepEqual(idsOf(seen), [id(1), id(2)]);
});

test('says of an event published again that it may have been handled', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const { seen } = await readerFor(t, bus);
  await attached(bus);
  await publish(publisher, 1, true);
  await eventually(() => seen.length === 1);
  t.true(seen[0]!.suspect);
});

test('handles no more events at once than it may', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  await publishMany(publisher, 0, 60);
  let now = 0;
  let most = 0;
  const full = Promise.withResolvers<void>();
  const handle = async () => {
    most = Math.max(most, ++now);
    if (now === 7) full.resolve();
    await full.promise;
    await new Promise((resolve) => setTimeout(resolve, 5));
    now -= 1;
  };
  const { seen } = await readerFor(t, bus, handle, { inFlightMax: 7 });
  await eventually(() => seen.length === 60);
  t.is(most, 7);
});

test('keeps an event that takes longer than others would wait for it', async (t) => {
  const nats = await natsFor(t);
  const [first, second] = [await busFor(t, nats), await busFor(t, nats)];
  const publisher = await first.openEvents(stream);
  const handle = () => new Promise<void>((resolve) => setTimeout(resolve, 12_000));
  // The one that does not have it would get it.
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

test('goes on after NATS was killed under it', async (t) => {
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
  // What came a second time was marked.
  const times = Map.groupBy(seen, ({ id }) => id);
  for (const [, [, ...repeated]] of times) t.true(repeated.every(({ suspect }) => suspect));
});

test('makes its consumer again when it is gone, and marks everything that comes a second time', async (t) => {
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

test('makes the stream again when it is gone', async (t) => {
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

test('stops when what it has begun is finished, and gives the rest back at once', async (t) => {
  const nats = await natsFor(t);
  const bus = await busFor(t, nats);
  const publisher = await bus.openEvents(stream);
  await publishMany(publisher, 0, 50);
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  t.teardown(() => finish());
  // Nobody would get its events by waiting.
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
