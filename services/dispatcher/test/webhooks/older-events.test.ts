import { encodeId } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { idAt } from '../id-at.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher, type RunningDispatcher } from '../running-dispatcher.js';

/** How far clocks may differ. Ages are multiples of it. */
const toleranceMs = 2 * 3_600_000;

/** A webhook that is five days old, a receiver, and events at given ages. */
async function open(t: ExecutionContext) {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url, {
    id: encodeId('webhook', idAt(Date.now() - 60 * toleranceMs)),
  });
  const eventOf = (age: number) =>
    running.publish('CONTACT_CREATED', { id: idAt(Date.now() - age * toleranceMs) });
  const statusOf = async ({ id }: { id: string }, of = webhook) =>
    (await running.delivery(id, of))?.status;
  const recorded = (event: { id: string }, status: string, of = webhook) =>
    eventually(async () => (await statusOf(event, of)) === status);
  return { running, receiver, webhook, eventOf, statusOf, recorded };
}

const ago = (age: number) => new Date(Date.now() - age * toleranceMs).toISOString();

/** Resolves when the dispatcher has created its consumer again, which delivers every event that the stream holds. */
async function recreateConsumer({ bus }: RunningDispatcher): Promise<void> {
  const manager = await bus.link.nats.jetstreamManager();
  const { created } = await manager.consumers.info('EVENTS', 'dispatcher');
  await manager.consumers.delete('EVENTS', 'dispatcher');
  await eventually(async () => {
    const info = await manager.consumers.info('EVENTS', 'dispatcher').catch(() => undefined);
    return info !== undefined && info.created !== created;
  });
}

/** Resolves when every event of the stream is acknowledged. */
async function allHandled({ bus }: RunningDispatcher): Promise<void> {
  const manager = await bus.link.nats.jetstreamManager();
  await eventually(async () => {
    const info = await manager.consumers.info('EVENTS', 'dispatcher');
    return info.num_pending === 0 && info.num_ack_pending === 0;
  });
}

const hoursAgo = (hours: number) => idAt(Date.now() - hours * 3_600_000);

/** The end of the stream now, as the webhooks service stores it with the time of a change. */
async function changeNow({ bus }: RunningDispatcher) {
  const time = new Date().toISOString();
  return { time, positions: { [time]: (await bus.streamPosition())! } };
}

test('delivers to a webhook exactly the events that the stream stored after its creation, whatever their clocks', async (t) => {
  const { running, receiver, webhook, recorded, statusOf } = await open(t);
  // On machines whose clocks are five hours apart.
  const before = await running.publish('CONTACT_CREATED', { id: hoursAgo(-5) });
  await recorded(before, 'delivered', webhook);
  const { time, positions } = await changeNow(running);
  const second = running.addWebhook(receiver.url, { createdAt: time, positions });
  await recreateConsumer(running);
  const after = await running.publish('CONTACT_CREATED', { id: hoursAgo(5) });
  await recorded(after, 'delivered', second);
  await allHandled(running);
  t.is(await statusOf(before, second), undefined);
  t.is(receiver.hits.length, 3);
});

test('delivers exactly the events that the stream stored after a kind was added, and outside the period in which the webhook was disabled', async (t) => {
  const { running, receiver, webhook, recorded, statusOf } = await open(t);
  webhook.events = ['CONTACT_UPDATED'];
  running.changed();
  const old = await running.publish('CONTACT_CREATED', { id: hoursAgo(-5) });
  const beforeDisabling = await running.publish('CONTACT_UPDATED', { id: hoursAgo(-5) });
  await recorded(beforeDisabling, 'delivered');
  const added = await changeNow(running);
  webhook.events = ['CONTACT_UPDATED', 'CONTACT_CREATED'];
  webhook.subscribedAt = { CONTACT_CREATED: added.time };
  webhook.positions = added.positions;
  // The webhook is disabled and enabled while no dispatcher runs.
  await running.stopAll();
  const afterAdding = await running.publish('CONTACT_CREATED', { id: hoursAgo(5) });
  const disabled = await changeNow(running);
  const within = await running.publish('CONTACT_UPDATED', { id: hoursAgo(5) });
  await eventually(() => new Date().toISOString() > disabled.time);
  const enabled = await changeNow(running);
  webhook.lastDisabled = { from: disabled.time, until: enabled.time };
  webhook.positions = { ...webhook.positions, ...disabled.positions, ...enabled.positions };
  const afterEnabling = await running.publish('CONTACT_UPDATED', { id: hoursAgo(0.01) });
  running.changed();
  const manager = await running.bus.link.nats.jetstreamManager();
  await manager.consumers.delete('EVENTS', 'dispatcher');
  await running.start();
  for (const event of [afterAdding, afterEnabling]) await recorded(event, 'delivered');
  await recorded(within, 'skipped');
  await allHandled(running);
  t.is(await statusOf(old), undefined);
  t.is(receiver.hits.length, 3);
});

test('delivers every new event of a stream that was created again, and none of the republished ones that are older than the webhook', async (t) => {
  const { running, receiver, webhook, recorded, statusOf } = await open(t);
  const first = await running.publish();
  await recorded(first, 'delivered', webhook);
  const { time, positions } = await changeNow(running);
  const second = running.addWebhook(receiver.url, { createdAt: time, positions });
  await running.stopAll();
  const manager = await running.bus.link.nats.jetstreamManager();
  await manager.streams.delete('EVENTS');
  await running.start();
  // At the sequence of the position.
  const fresh = await running.publish('CONTACT_CREATED', { id: hoursAgo(1) });
  const republished = { id: hoursAgo(5), republished: true };
  const older = await running.publish('CONTACT_CREATED', republished);
  await recorded(fresh, 'delivered', second);
  await allHandled(running);
  t.is(await statusOf(older, second), undefined);
  t.is(receiver.hits.length, 4);
});

test('does not deliver events from before the creation of a webhook of unknown position when its consumer is created again', async (t) => {
  const { running, receiver, webhook, eventOf, statusOf, recorded } = await open(t);
  const old = await eventOf(10);
  await recorded(old, 'delivered', webhook);

  const second = running.addWebhook(receiver.url);
  await recreateConsumer(running);
  // The clock of the machine that wrote it may be behind.
  const recent = await eventOf(0.5);
  await recorded(recent, 'delivered', second);
  await allHandled(running);
  t.is(await statusOf(old, second), undefined);
  t.is(receiver.hits.length, 3);
});

test('does not deliver events from before a kind was added when its consumer is created again', async (t) => {
  const { running, receiver, webhook, eventOf, statusOf } = await open(t);
  webhook.events = ['CONTACT_UPDATED'];
  running.changed();
  const old = await eventOf(10);
  await allHandled(running);
  webhook.events = ['CONTACT_UPDATED', 'CONTACT_CREATED'];
  webhook.subscribedAt = { CONTACT_CREATED: ago(5) };
  running.changed();
  await recreateConsumer(running);
  const [late, recent] = [await eventOf(5.5), await eventOf(0)];
  const other = await running.publish('CONTACT_UPDATED', {
    id: idAt(Date.now() - 20 * toleranceMs),
  });
  await eventually(async () => receiver.hits.length === 3);
  await allHandled(running);
  t.deepEqual(await Promise.all([late, recent, other].map((event) => statusOf(event))), [
    'delivered',
    'delivered',
    'delivered',
  ]);
  t.is(await statusOf(old), undefined);
  t.is(receiver.hits.length, 3);
});

test('records events of a period in which a webhook was disabled as skipped after it was enabled, and delivers those before and after', async (t) => {
  const { running, receiver, webhook, eventOf, recorded } = await open(t);
  webhook.lastDisabled = { from: ago(20), until: ago(10) };
  running.changed();
  const [before, within, after, now] = [
    await eventOf(25),
    await eventOf(15),
    await eventOf(9),
    await eventOf(0),
  ];
  for (const event of [before, after, now]) await recorded(event, 'delivered');
  await recorded(within, 'skipped');
  // On clocks that are up to two hours ahead of that of disabling, or behind that of enabling.
  for (const event of [await eventOf(19.5), await eventOf(10.5)])
    await recorded(event, 'delivered');
  await allHandled(running);
  t.is(receiver.hits.length, 5);
});
