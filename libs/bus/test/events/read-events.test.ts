import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';
import { joinEvents, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { beforeAllEvents } from '../../events/follow.js';
import { readEvents } from '../../events/stream-reader.js';
import type { Bus } from '../../index.js';
import { busFor, natsFor } from '../running-bus.js';
import { attached, id, publish, readerFor, stream, workspaceId } from './event-readers.js';

const event = (n: number, details?: string) => ({
  id: uuidOf('event', id(n)),
  body: `{"n":${n},"name":"Zoë 🦊"}`,
  details,
});

/** A bus, and a publisher of one message with the events of these numbers. */
async function batches(t: ExecutionContext) {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const publishTogether = (...numbers: number[]) =>
    publisher.publish({
      id: id(numbers[0]!),
      workspaceId,
      kind: 'CONTACT_CREATED',
      body: joinEvents(numbers.map((n) => event(n, n % 2 === 0 ? `{"n":${n}}` : undefined))),
    });
  return { bus, publisher, publishTogether };
}

/** Follows until the event with this number. */
async function followed(bus: Bus, after: string, last: number): Promise<string[]> {
  const ids: string[] = [];
  const stop = await bus.followEvents({
    workspaceId,
    after,
    onEvent: (each) => void ids.push(each.id),
    onEnd: () => undefined,
  });
  await eventually(() => ids.includes(id(last)));
  stop();
  return ids;
}

/** The size of the heap after a collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test.serial(
  'an event that is read keeps nothing of its details and of other events in memory',
  async (t) => {
    const { bus, publisher } = await batches(t);
    const details = JSON.stringify('x'.repeat(8_000));
    const body = joinEvents([event(1, details), event(2, details)]);
    await publisher.publish({ id: id(1), workspaceId, kind: 'CONTACT_CREATED', body });
    const bodies: string[] = [];
    const read = async (times: number) => {
      for (let n = 0; n < times; n += 1)
        for await (const each of bus.readEvents({ workspaceId })) bodies.push(each.body);
    };
    await read(50);
    const before = heapBytes();
    await read(500);
    const kept = (heapBytes() - before) / 500;
    t.true(kept < 4000, `${kept} bytes per message`);
    t.is(bodies.at(-1), event(2).body);
  },
);

test('several events of one message are consumed, read and followed each, in their order', async (t) => {
  const { bus, publisher, publishTogether } = await batches(t);
  const { seen } = await readerFor(t, bus);
  await attached(bus);
  const live = followed(bus, beforeAllEvents, 6);
  await publish(publisher, 1);
  await publishTogether(2, 3, 4);
  await publishTogether(5, 6);
  await eventually(() => seen.length === 3);
  t.deepEqual(
    seen.map(({ events }) => events()),
    [
      [event(1)],
      [event(2, '{"n":2}'), event(3), event(4, '{"n":4}')],
      [event(5), event(6, '{"n":6}')],
    ],
  );
  const read: string[] = [];
  for await (const { id: each, body } of bus.readEvents({ workspaceId }))
    read.push(`${each} ${body}`);
  const all = [1, 2, 3, 4, 5, 6];
  t.deepEqual(
    read,
    all.map((n) => `${id(n)} ${event(n).body}`),
  );
  t.deepEqual(await live, all.map(id));
  t.is(await bus.newestEventId(workspaceId), id(6));
});

test('a subscription resumes after any event of a message, without a gap and without a repetition', async (t) => {
  const { bus, publishTogether } = await batches(t);
  await publishTogether(1, 2, 3);
  await publishTogether(4, 5);
  for (const n of [1, 2, 3, 4])
    t.deepEqual(await followed(bus, id(n), 5), [1, 2, 3, 4, 5].filter((each) => each > n).map(id));
  const next = followed(bus, id(5), 7);
  await publishTogether(6, 7);
  t.deepEqual(await next, [6, 7].map(id));
});

test('a message of which an event has no ID is dropped, and its other events are followed', async (t) => {
  const { bus, publisher, publishTogether } = await batches(t);
  const { seen } = await readerFor(t, bus, async ({ events }) => void events());
  await attached(bus);
  const broken = [event(1), { ...event(2), id: 'x' }, event(3)];
  const body = joinEvents(broken);
  await publisher.publish({ id: id(1), workspaceId, kind: 'CONTACT_CREATED', body });
  await publishTogether(4, 5);
  await eventually(() => seen.length === 2);
  t.throws(seen[0]!.events, { message: 'it has an event without an ID' });
  t.deepEqual(await followed(bus, beforeAllEvents, 5), [1, 3, 4, 5].map(id));
});

test('no further message is started while those in flight have as many events as permitted', async (t) => {
  const { bus, publisher, publishTogether } = await batches(t);
  const gate = Promise.withResolvers<void>();
  const { consumer, seen } = await readerFor(t, bus, () => gate.promise, { inFlightMax: 4 });
  t.teardown(() => gate.resolve());
  await attached(bus);
  await publishTogether(1, 2, 3);
  await publishTogether(4, 5);
  await publish(publisher, 6);
  await eventually(() => seen.length === 2);
  t.is(consumer.inFlight, 5);
  await bus.link.nats.flush();
  t.is(seen.length, 2);
  gate.resolve();
  await eventually(() => seen.length === 3 && consumer.inFlight === 0);
});

test('a read that begins with a message leaves out none after it, although the clock of the stream stepped back', async (t) => {
  const messages = [1000, 400, 900, 1100].map((storedMs, index) => ({
    kind: 'CONTACT_CREATED',
    events: [event(index + 1)],
    sequence: index + 1,
    storedMs,
    republished: false,
  }));
  const next = async (_: string, sequence: number) => messages[sequence - 1];
  // The server finds a time by a binary search.
  const firstSince = async (_: string, ms: number) =>
    messages.findLast(({ storedMs }) => storedMs >= ms);
  const reader = { newest: async () => messages.at(-1), next, firstSince } as never;
  const read = async (at?: { sequence: number; storedMs: number }) => {
    const seen: number[] = [];
    for await (const { sequence } of readEvents(reader, { workspaceId, fromMs: 1000, at }))
      seen.push(sequence);
    return seen;
  };
  t.deepEqual(await read({ sequence: 1, storedMs: 1000 }), [1, 2, 3, 4]);
  t.deepEqual(await read({ sequence: 4, storedMs: 1100 }), [4]);
  // Another message was stored at the sequence after the stream lost its latest ones.
  t.deepEqual(await read({ sequence: 1, storedMs: 999 }), [4]);
});
