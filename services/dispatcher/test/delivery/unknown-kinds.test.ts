import { consumeEvents, Deferred, Unusable } from '@roster/bus';
import type { EventKind } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { UnknownKinds } from '../../delivery/unknown-kinds.js';
import { momentId } from '../../delivery/delivery.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

const ids = new IdClock();
const kind = 'CONTACT_MERGED' as EventKind;
const eventOf = (rawWorkspaceId: string) => ({
  ...{ kind, rawId: ids.next(), rawWorkspaceId },
  deliveries: 1,
});
/** An event that happened an hour and a minute ago. */
const oldEvent = () => ({ ...eventOf('w'), rawId: momentId(Date.now() - 3_660_000) });

test('an event of a kind that only the next release knows is left to the next release, and delays no other', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url, { events: ['CONTACT_CREATED', kind] });
  const unknown = await running.publish(kind);
  const { id } = await running.publish();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  const manager = await running.bus.link.nats.jetstreamManager();
  const unacknowledged = async () => {
    const { num_pending, num_ack_pending } = await manager.consumers.info('EVENTS', 'dispatcher');
    return num_pending + num_ack_pending;
  };
  await eventually(async () => (await unacknowledged()) === 1);
  t.is(receiver.hits.length, 1);
  await running.stopAll();
  const seen: string[] = [];
  const log = { debug: () => undefined, warn: () => undefined, error: () => undefined };
  const stream = { replicas: 1, maxAgeSeconds: 3600 };
  const next = await consumeEvents(
    running.bus.link,
    log,
    { durable: 'dispatcher', stream, inFlightMax: 1 },
    ({ rawId }) => void seen.push(rawId),
  );
  t.teardown(() => next.stop());
  await eventually(() => seen.includes(unknown.id), { timeoutMs: 30_000 });
});

test('an event of an unknown kind that no webhook subscribes to is acknowledged', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  running.addWebhook(receiver.url);
  await running.publish(kind);
  const manager = await running.bus.link.nats.jetstreamManager();
  await eventually(async () => {
    const info = await manager.consumers.info('EVENTS', 'dispatcher');
    return info.num_pending === 0 && info.num_ack_pending === 0 && info.delivered.stream_seq === 1;
  });
  t.is(receiver.hits.length, 0);
});

test('drops an event of an unknown kind after an hour and 360 deliveries', (t) => {
  const unknown = new UnknownKinds();
  const refuse = (event: ReturnType<typeof eventOf>, deliveries: number) =>
    t.throws(() => unknown.refuse({ ...event, deliveries })).constructor;
  t.is(refuse(oldEvent(), 360), Deferred);
  t.is(refuse(eventOf('w'), 361), Deferred);
  t.is(refuse(oldEvent(), 361), Unusable);
});

test('drops no event of an unknown kind because the clock was set an hour ahead', (t) => {
  t.throws(() => new UnknownKinds().refuse(oldEvent()), { instanceOf: Deferred });
});

test('bounds the waiting events of unknown kinds, in total and per workspace', (t) => {
  const unknown = new UnknownKinds();
  const now = performance.now();
  const refuse = (event: ReturnType<typeof eventOf>, at = now) =>
    t.throws(() => unknown.refuse(event, at)).constructor;
  const first = eventOf('w0');
  t.is(refuse(first), Deferred);
  for (let n = 1; n < 64; n += 1) t.is(refuse(eventOf('w0')), Deferred);
  t.is(refuse(eventOf('w0')), Unusable);
  t.is(refuse(first), Deferred, 'one that waits already keeps its place');
  for (let n = 64; n < 512; n += 1) t.is(refuse(eventOf(`w${n}`)), Deferred);
  t.is(refuse(eventOf('other')), Unusable);
  t.is(
    refuse(eventOf('w0'), now + 30_000),
    Deferred,
    'another process took those that did not return',
  );
});
