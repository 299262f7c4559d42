import { cp, rm } from 'node:fs/promises';
import { eventStream } from '@roster/contracts';
import { eventually, TcpProxy, temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { headers } from 'nats';
import type { Bus } from '../../index.js';
import { busFor, natsFor } from '../running-bus.js';
import { id, publish, publishMany, stream, workspaceId } from './event-readers.js';

interface Followed {
  /** IDs of the events. */
  ids: string[];
  /** Codes with which it ended. */
  ended: string[];
}

async function follow(t: ExecutionContext, bus: Bus, after?: string): Promise<Followed> {
  const followed: Followed = { ids: [], ended: [] };
  const stop = await bus.followEvents({
    workspaceId,
    after,
    onEvent: (event) => void followed.ids.push(event.id),
    onEnd: ({ code }) => void followed.ended.push(code),
  });
  t.teardown(stop);
  return followed;
}

/** A server, a publisher, and the number of messages that anyone has read from the stream. */
async function publisherFor(t: ExecutionContext) {
  const nats = await natsFor(t);
  const bus = await busFor(t, nats);
  const publisher = await bus.openEvents(stream);
  const counts = { reads: 0 };
  bus.link.subscribe(`$JS.API.STREAM.MSG.GET.${eventStream}`, {
    onMessage: () => void (counts.reads += 1),
  });
  await bus.link.nats.flush();
  return { nats, bus, publisher, counts, manager: await bus.link.nats.jetstreamManager() };
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => id(from + n));

test('events of live subscriptions are heard, and not read from the stream', async (t) => {
  const { nats, publisher, counts } = await publisherFor(t);
  const bus = await busFor(t, nats);
  const all = [await follow(t, bus), await follow(t, bus), await follow(t, bus)];
  // Each has read that there is no event.
  await eventually(() => counts.reads === all.length);
  await publish(publisher, 0);
  await eventually(() => all.every(({ ids }) => ids.length === 1));
  const before = counts.reads;
  await publishMany(publisher, 1, 200);
  await eventually(() => all.every(({ ids }) => ids.length === 200));
  for (const { ids } of all) t.deepEqual(ids, numbers(0, 200));
  t.is(counts.reads, before);
});

test('a subscription whose connection is lost while the stream loses its newest events ends, though as many are stored again', async (t) => {
  const { nats, publisher } = await publisherFor(t);
  const proxy = await TcpProxy.start({ host: '127.0.0.1', port: nats.port });
  t.teardown(() => proxy.stop());
  const bus = await busFor(t, { url: `nats://127.0.0.1:${proxy.port}` });
  await publish(publisher, 0);
  const live = await follow(t, bus);
  await nats.restart();
  const kept = await temporaryDirectory(t);
  await cp(nats.dataDir, kept, { recursive: true });
  await eventually(() => publish(publisher, 1).then(() => true));
  await eventually(() => live.ids.length === 1);

  await proxy.setMode('reset');
  nats.kill('SIGKILL');
  await nats.exited;
  await rm(nats.dataDir, { recursive: true });
  await cp(kept, nats.dataDir, { recursive: true });
  await nats.restart();
  await eventually(() => publishMany(publisher, 2, 5).then(() => true));
  await proxy.setMode('forward');
  await eventually(() => live.ended.length === 1);
  t.deepEqual(live, { ids: [id(1)], ended: ['unavailable'] });
});

test('events that are stored while the connection is lost are received, each once and in order', async (t) => {
  const { nats, publisher } = await publisherFor(t);
  const proxy = await TcpProxy.start({ host: '127.0.0.1', port: nats.port });
  t.teardown(() => proxy.stop());
  const bus = await busFor(t, { url: `nats://127.0.0.1:${proxy.port}` });
  const live = await follow(t, bus);
  await publish(publisher, 0);
  await eventually(() => live.ids.length === 1);
  const resumed = await follow(t, bus, id(0));
  for (let n = 1; n < 200; n += 1) {
    if (n % 50 === 0) await proxy.setMode('reset');
    await publish(publisher, n);
    if (n % 50 === 10) await proxy.setMode('forward');
  }
  await eventually(() => live.ids.length >= 200 && resumed.ids.length >= 199);
  t.deepEqual(live.ids, numbers(0, 200));
  t.deepEqual(resumed.ids, numbers(1, 200));
  t.deepEqual([...live.ended, ...resumed.ended], []);
});

test('a subscription that resumes while events are stored receives each once and in order', async (t) => {
  const { nats, publisher } = await publisherFor(t);
  await publishMany(publisher, 0, 100);
  const bus = await busFor(t, nats);
  const publishing = publishMany(publisher, 100, 400);
  const all = [await follow(t, bus, id(0)), await follow(t, bus, id(50)), await follow(t, bus)];
  await publishing;
  await eventually(() => all.every(({ ids }) => ids.at(-1) === id(399)));
  t.deepEqual(all[0]!.ids, numbers(1, 400));
  t.deepEqual(all[1]!.ids, numbers(51, 400));
  t.deepEqual(all[2]!.ids, numbers(400 - all[2]!.ids.length, 400));
});

test('events of a stream that does not republish them are received nevertheless', async (t) => {
  const { nats, publisher, manager } = await publisherFor(t);
  await manager.streams.delete(eventStream);
  await manager.streams.add({ name: eventStream, subjects: ['events.>'] });
  const followed = await follow(t, await busFor(t, nats));
  await publishMany(publisher, 0, 20);
  await eventually(() => followed.ids.length >= 20);
  t.deepEqual(followed.ids, numbers(0, 20));
});

test('a subscription ends with unavailable when the stream has lost its newest events, and resumes after an event that was published again', async (t) => {
  const { nats, publisher, manager } = await publisherFor(t);
  const bus = await busFor(t, nats);
  const followed = await follow(t, bus);
  await publishMany(publisher, 0, 5);
  await eventually(() => followed.ids.length === 5);
  await manager.streams.delete(eventStream);
  await publisher.bounds(stream);
  await publish(publisher, 4, true);
  await publish(publisher, 5);
  await eventually(() => followed.ended.length > 0);
  t.deepEqual(followed, { ids: numbers(0, 5), ended: ['unavailable'] });
  const resumed = await follow(t, bus, followed.ids.at(-1));
  await eventually(() => resumed.ids.length > 0);
  t.deepEqual(resumed, { ids: [id(5)], ended: [] });
});

test('a stored message that states another sequence or time disturbs no subscription', async (t) => {
  const { nats, bus, publisher } = await publisherFor(t);
  const followed = await follow(t, await busFor(t, nats));
  const forged = headers();
  forged.set('Nats-Sequence', '1000000');
  forged.set('Nats-Time-Stamp', '2999-01-01T00:00:00Z');
  await publishMany(publisher, 0, 5);
  await bus.link.nats.jetstream().publish(`events.${workspaceId}.CONTACT_CREATED`, '{}', {
    headers: forged,
  });
  await publishMany(publisher, 5, 10);
  await eventually(() => followed.ids.length === 10);
  t.deepEqual(followed, { ids: numbers(0, 10), ended: [] });
});
