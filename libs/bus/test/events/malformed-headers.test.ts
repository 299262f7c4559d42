import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { headers } from 'nats';
import type { Bus } from '../../index.js';
import { beforeAllEvents } from '../../events/follow.js';
import { busFor, natsFor } from '../running-bus.js';
import { id, publish, readerFor, stream, workspaceId } from './event-readers.js';

/** A connection, and a function that stores a message whose headers the client refuses to decode, then an event. */
async function streamFor(t: ExecutionContext) {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  let stored = 0;
  // Each is another one: NATS would drop it as a duplicate otherwise.
  const encode = () => Buffer.from(`NATS/1.0\r\nNats-Msg-Id: first\n${(stored += 1)}\r\n\r\n`);
  const malformed = Object.assign(headers(), { encode });
  /** Resolves when the message is stored. */
  const storeMalformed = () =>
    bus.link.nats.request(`events.${workspaceId}.CONTACT_CREATED`, '{}', {
      headers: malformed,
      timeout: 20_000,
    });
  const store = async (n = 1) => {
    await storeMalformed();
    await publish(publisher, n);
  };
  return { bus, publisher, store, storeMalformed };
}

/** The IDs of the events that a subscription receives, and the code with which it ends. */
async function follow(t: ExecutionContext, bus: Bus, after?: string): Promise<string[]> {
  const seen: string[] = [];
  const stop = await bus.followEvents({
    workspaceId,
    after,
    onEvent: (event) => void seen.push(event.id),
    onEnd: ({ code }) => void seen.push(code),
  });
  t.teardown(stop);
  return seen;
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
  const seen = await follow(t, bus);
  await store();
  await eventually(() => seen.length > 0);
  t.deepEqual(seen, [id(1)]);
});

test('a subscription resumes if the newest message of its workspace has malformed headers', async (t) => {
  const { bus, store, storeMalformed } = await streamFor(t);
  await store();
  await storeMalformed();
  const newest = await bus.newestEventId(workspaceId);
  t.is(newest, beforeAllEvents);
  const [afterEvent, afterNewest] = [await follow(t, bus, id(1)), await follow(t, bus, newest)];
  await store(2);
  await eventually(() => afterNewest.length > 1 && afterEvent.length > 0);
  t.deepEqual(afterNewest, [id(1), id(2)]);
  t.deepEqual(afterEvent, [id(2)]);
});

test('a message with malformed headers is found at its sequence, without an ID', async (t) => {
  const { publisher, storeMalformed } = await streamFor(t);
  await storeMalformed();
  const { last, lastTime } = await publisher.tail(stream);
  t.deepEqual(await publisher.messageAt(last), { id: '', time: lastTime });
});
