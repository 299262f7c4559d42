import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { headers } from 'nats';
import { busFor, natsFor } from '../running-bus.js';
import { id, publish, readerFor, stream, workspaceId } from './event-readers.js';

/** A connection, and a function that stores a message whose headers the client refuses to decode, then an event. */
async function streamFor(t: ExecutionContext) {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const encode = () => Buffer.from('NATS/1.0\r\nNats-Msg-Id: first\nsecond\r\n\r\n');
  const malformed = Object.assign(headers(), { encode });
  const store = async () => {
    bus.link.nats.publish(`events.${workspaceId}.CONTACT_CREATED`, '{}', { headers: malformed });
    await publish(publisher, 1);
  };
  return { bus, store };
}

test('events after a message with malformed headers are consumed, and the message is dropped', async (t) => {
  const { bus, store } = await streamFor(t);
  await store();
  const { seen } = await readerFor(t, bus);
  await eventually(() => seen.length > 0);
  t.deepEqual(
    seen.map((event) => event.id),
    [id(1)],
  );
});

test('a message with malformed headers is not in the log of events, and does not end it', async (t) => {
  const { bus, store } = await streamFor(t);
  await store();
  const seen: string[] = [];
  for await (const event of bus.readEvents({ workspaceId })) seen.push(event.id);
  t.deepEqual(seen, [id(1)]);
});

test('a subscription skips a message with malformed headers', async (t) => {
  const { bus, store } = await streamFor(t);
  const seen: string[] = [];
  const stop = await bus.followEvents({
    workspaceId,
    onEvent: (event) => void seen.push(event.id),
    onEnd: ({ code }) => void seen.push(code),
  });
  t.teardown(stop);
  await store();
  await eventually(() => seen.length > 0);
  t.deepEqual(seen, [id(1)]);
});
