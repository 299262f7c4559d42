import type { EventKind } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

const kind = 'CONTACT_MERGED' as EventKind;

test('an event of a kind that only the next release knows is delivered to the webhooks that subscribed to it there', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url, { events: ['CONTACT_CREATED', kind] });
  const { id } = await running.publish(kind);
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  t.is(receiver.hits[0]!.headers['x-roster-event'], kind);
});

test('an event of a kind that only the next release knows is delivered to the webhooks of all kinds', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url, { events: ['*'] });
  const { id } = await running.publish(kind);
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  t.is(receiver.hits[0]!.headers['x-roster-event'], kind);
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
