import { existsSync, readdirSync } from 'node:fs';
import { encodeId, eventStream, streamAdministrator } from '@roster/contracts';
import { eventually, processStat, type ThrowawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { connectBus, type Bus, type EventPublisher } from '../../index.js';
import { busFor, natsFor, silent } from '../running-bus.js';

const stream = { replicas: 1, maxAgeSeconds: 3600 };
const workspaceId = 'wksp_01h455vb4pex5vsknk084sn02q';

const id = (n: number) =>
  encodeId('event', `01935a2e-7b00-7000-8000-${String(n).padStart(12, '0')}`);
const publish = (publisher: EventPublisher, n: number) =>
  publisher.publish({ id: id(n), workspaceId, kind: 'CONTACT_CREATED', body: `{"n":${n}}` });
const idAt = async (publisher: EventPublisher, sequence: number) =>
  (await publisher.messageAt(sequence))?.id;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Resolves when all threads of the server have stopped: a running one would accept the next message. */
async function halt({ pid }: ThrowawayNats): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return;
  await eventually(() =>
    readdirSync(tasks).every((thread) => processStat(pid, thread)?.state === 'T'),
  );
}

async function administratorOf(t: ExecutionContext, { url }: ThrowawayNats): Promise<Bus> {
  const bus = await connectBus({ servers: url, name: streamAdministrator, log: silent });
  t.teardown(() => bus.close());
  return bus;
}

const stored = async (bus: Bus): Promise<number> => {
  const manager = await bus.link.nats.jetstreamManager();
  return (await manager.streams.info(eventStream)).state.messages;
};

test('resolves with the sequence of each event, also of a duplicate', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const early = await publish(publisher, 7);
  // Every event twice, so that the acknowledgements of duplicates are interleaved.
  const wanted = [...numbers(400), ...numbers(400)].toSorted((a, b) => (a % 50) - (b % 50));
  const sequences = await Promise.all(wanted.map((n) => publish(publisher, n)));
  t.is(sequences[wanted.indexOf(7)], early);
  t.is(await stored(bus), 400);
  const found = await Promise.all(sequences.map((sequence) => idAt(publisher, sequence)));
  t.deepEqual(
    found,
    wanted.map((n) => id(n)),
  );
});

test('the creation time of the stream, which is part of positions, survives restarts of the server and of the administrator', async (t) => {
  const nats = await natsFor(t);
  const created: string[] = [];
  for (let start = 0; start < 3; start += 1) {
    const bus = await administratorOf(t, nats);
    const publisher = await bus.openEvents(stream);
    created.push((await publisher.tail(stream)).created);
    await bus.close();
    await nats.restart();
  }
  t.is(new Set(created).size, 1, created.join(', '));
});

test('the administrator changes the settings of the stream that are others than its own', async (t) => {
  const nats = await natsFor(t);
  const bus = await administratorOf(t, nats);
  await bus.openEvents(stream);
  await bus.openEvents({ ...stream, maxAgeSeconds: 7200 });
  const manager = await bus.link.nats.jetstreamManager();
  const { config } = await manager.streams.info(eventStream);
  t.is(config.max_age, 7200e9);
});

test('rejects immediately, with the reason, if the stream rejects an event', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const manager = await bus.link.nats.jetstreamManager();
  await manager.streams.update(eventStream, { max_msg_size: 200 });
  const large = { id: id(1), workspaceId, kind: 'CONTACT_CREATED', body: 'x'.repeat(300) } as const;
  const [small, refused] = await Promise.allSettled([
    publish(publisher, 0),
    publisher.publish(large),
  ]);
  t.is(small.status, 'fulfilled');
  t.is(refused.status, 'rejected');
  t.regex(String((refused as PromiseRejectedResult).reason), /exceeds maximum/);
  await manager.streams.delete(eventStream);
  await t.throwsAsync(publish(publisher, 2), { message: /no stream captures/ });
});

test('rejects events in flight as soon as the connection is lost: their outcome is unknown', async (t) => {
  const nats = await natsFor(t);
  const bus = await busFor(t, nats);
  const publisher = await bus.openEvents(stream);
  await publish(publisher, 0);
  await halt(nats);
  const open = Promise.allSettled(numbers(50).map((n) => publish(publisher, n)));
  nats.kill('SIGKILL');
  const outcomes = await open;
  t.true(outcomes.every(({ status }) => status === 'rejected'));
  t.regex(String((outcomes[0] as PromiseRejectedResult).reason), /lost the connection/);
  await t.throwsAsync(publish(publisher, 1), { message: /no connection/ });
  await nats.restart();
  await eventually(() => bus.link.up);
  const sequence = await publish(publisher, 1);
  t.is(await idAt(publisher, sequence), id(1));
});

test('never assigns a late acknowledgement to a later event', async (t) => {
  const nats = await natsFor(t);
  const bus = await busFor(t, nats);
  const publisher = await bus.openEvents(stream);
  await publish(publisher, 0);
  await halt(nats);
  t.teardown(() => nats.kill('SIGCONT'));
  await t.throwsAsync(publish(publisher, 1), { message: /did not acknowledge in time/ });
  const later = numbers(20).map((n) => publish(publisher, 10 + n));
  nats.kill('SIGCONT');
  const sequences = await Promise.all(later);
  t.deepEqual(
    await Promise.all(sequences.map((sequence) => idAt(publisher, sequence))),
    numbers(20).map((n) => id(10 + n)),
  );
  // Stored without a delivered acknowledgement: publishing it again must return its sequence.
  t.is(await idAt(publisher, await publish(publisher, 1)), id(1));
  t.is(await stored(bus), 22);
});

test('the incarnation changes when the server restarts, and messages are distinguished by their time', async (t) => {
  const nats = await natsFor(t);
  const bus = await busFor(t, nats);
  const publisher = await bus.openEvents(stream);
  const sequence = await publish(publisher, 0);
  const tail = await publisher.tail(stream);
  t.is(tail.last, sequence);
  t.truthy(tail.incarnation);
  t.deepEqual(await publisher.messageAt(sequence), { id: id(0), time: tail.lastTime });
  await publish(publisher, 1);
  t.is((await publisher.tail(stream)).incarnation, tail.incarnation);
  nats.kill('SIGKILL');
  await eventually(() => !bus.link.up);
  await t.throwsAsync(publisher.tail(stream), { message: /no connection/ });
  await nats.restart();
  await eventually(() => bus.link.up);
  const { incarnation } = await publisher.tail(stream);
  t.truthy(incarnation);
  t.not(incarnation, tail.incarnation);
});
