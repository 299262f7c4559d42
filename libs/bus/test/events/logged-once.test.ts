import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { connectBus, consumeEvents, Unusable } from '../../index.js';
import { natsFor } from '../running-bus.js';
import { durable, id, publish, publishMany, silent, stream, workspaceId } from './event-readers.js';

/** A connection, and what it logs as errors. */
async function loggingBus(t: ExecutionContext) {
  const lines: { message: string; err?: unknown }[] = [];
  const error = (fields: object, message: string) => void lines.push({ ...fields, message });
  const log = { ...silent, error };
  const { url } = await natsFor(t);
  const bus = await connectBus({ servers: url, name: 'test', log });
  t.teardown(() => bus.close());
  return { bus, log, lines };
}

test('many invalid events are logged once, and not each', async (t) => {
  const { bus, log, lines } = await loggingBus(t);
  const publisher = await bus.openEvents(stream);
  for (let n = 0; n < 20; n += 1)
    await bus.link.nats.jetstream().publish('events.unknown.UNKNOWN', 'no ID and no workspace');
  await publishMany(publisher, 0, 21);
  const seen: string[] = [];
  const options = { durable, stream, inFlightMax: 64 };
  const consumer = await consumeEvents(bus.link, log, options, async (event) => {
    seen.push(event.id);
    if (event.id !== id(20)) throw new Unusable('nothing to be done');
  });
  t.teardown(() => consumer.stop());
  await eventually(() => seen.includes(id(20)));
  t.deepEqual(
    lines.map(({ message, err }) => [message, (err as Error).message]),
    [
      ['dropped an invalid event', 'it is not an event: an ID is missing'],
      ['dropped an invalid event', 'nothing to be done'],
    ],
  );
});

test('events that a subscription cannot read are logged once, without their bodies', async (t) => {
  const { bus, lines } = await loggingBus(t);
  const publisher = await bus.openEvents(stream);
  const received: string[] = [];
  const stop = await bus.followEvents({
    workspaceId,
    onEvent(event) {
      if (event.id !== id(20)) JSON.parse(`secret ${event.id}`);
      received.push(event.id);
    },
    onEnd: () => undefined,
  });
  t.teardown(stop);
  await publishMany(publisher, 0, 20);
  await publish(publisher, 20);
  await eventually(() => received.length === 1);
  t.is(lines.length, 1);
  t.is(String(lines[0]!.err), 'TypeError: its body is not JSON');
});
