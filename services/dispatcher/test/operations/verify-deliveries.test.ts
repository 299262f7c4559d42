import { encodeId, eventStream, uuidOf, type InputOf, type Operations } from '@roster/contracts';
import { callAsSystem, eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { deliveryId } from '../../delivery/delivery.js';
import { verifyDeliveries } from '../../operations/verify-deliveries.js';
import type { DispatcherService } from '../../service.js';
import type { Subscription } from '../../webhooks/known-webhook.js';
import { Subscriptions } from '../../webhooks/subscriptions.js';
import { WebhooksService } from '../../webhooks/webhooks-service.js';
import { idAt } from '../id-at.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher, type RunningDispatcher } from '../running-dispatcher.js';

type Input = InputOf<Operations['dispatcher.verify-deliveries']>;

const dayMs = 86_400_000;
const verifyIn = ({ bus }: Pick<RunningDispatcher, 'bus'>, input: Partial<Input> = {}) =>
  bus.call(
    'dispatcher.verify-deliveries',
    {
      ...{ since: new Date(Date.now() - dayMs).toISOString(), olderThanSeconds: 0, repair: false },
      ...input,
    },
    callAsSystem(),
  );

/** A webhook that is older than all events, and three delivered ones. */
async function open(t: ExecutionContext, env: Record<string, string> = {}) {
  const running = await runDispatcher(t, env);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url, {
    id: encodeId('webhook', idAt(Date.now() - dayMs)),
  });
  const events = [await running.publish(), await running.publish(), await running.publish()];
  for (const { id } of events) await delivered(running, id, webhook);
  const idsOf = (eventId: string) => ({
    deliveryId: encodeId('delivery', deliveryId(eventId, uuidOf('webhook', webhook.id))),
    eventId: encodeId('event', eventId),
    webhookId: webhook.id,
    workspaceId: running.workspace.outside,
  });
  const execute = (sql: string, ...values: unknown[]) => running.database.em.execute(sql, values);
  return { running, receiver, webhook, events, idsOf, execute };
}

const delivered = (running: RunningDispatcher, eventId: string, webhook: Subscription) =>
  eventually(async () => (await running.delivery(eventId, webhook))?.status === 'delivered');

const nothing = { count: 0, deliveries: [] };
const whole = {
  gaps: { count: 0, ranges: [] },
  ...{ undelivered: nothing, unhandled: nothing, unqueued: nothing, overdue: nothing },
  ...{ uncertain: 0, repaired: 0, next: null },
};

test('nothing is missing while events are delivered, whatever their webhooks are and were', async (t) => {
  const { running, receiver, webhook } = await open(t);
  t.like(await verifyIn(running), { ...whole, events: 3, expected: 3 });
  const input = { since: new Date(0).toISOString(), olderThanSeconds: 0, repair: false };
  const outbox = await running.bus.call('dispatcher.verify-outbox', input, callAsSystem());
  t.like(outbox, { unpublished: { count: 0 }, absent: { count: 0 }, next: null });
  // Of another kind, disabled, of events before its creation, with a filter that was changed, and with a rate.
  const time = new Date().toISOString();
  const positions = { [time]: (await running.bus.streamPosition())! };
  const old = encodeId('webhook', idAt(Date.now() - dayMs));
  running.addWebhook(receiver.url, { id: old, events: ['CONTACT_DELETED'] });
  running.addWebhook(receiver.url, { createdAt: time, positions });
  running.addWebhook(receiver.url, {
    id: encodeId('webhook', idAt(Date.now() - dayMs)),
    disabledReason: 'off',
  });
  running.addWebhook(receiver.url, {
    id: encodeId('webhook', idAt(Date.now() - dayMs)),
    filterChangedAt: time,
  });
  const verified = await verifyIn(running);
  t.like(verified, { ...whole, uncertain: 3, events: 3, expected: 3 });
  const { id } = await running.publish();
  await delivered(running, id, webhook);
  await eventually(async () => {
    const { expected, undelivered, unhandled } = await verifyIn(running);
    return expected >= 5 && undelivered.count === 0 && unhandled.count === 0;
  });
});

test('names a delivery that is missing, one that is not in the queue, a gap of the stream, and delivers again when it is told to', async (t) => {
  const { running, receiver, webhook, events, idsOf, execute } = await open(t);
  const [first, second, third] = events.map(({ id }) => id) as [string, string, string];
  await execute('delete from dispatcher.deliveries where event_id = ?', first);
  await execute(`update dispatcher.deliveries set status = 'pending' where event_id = ?`, second);
  const manager = await running.bus.link.nats.jetstreamManager();
  await manager.streams.deleteMessage(eventStream, 3);
  const last = await running.publish();
  await delivered(running, last.id, webhook);

  const found = {
    ...whole,
    gaps: { count: 1, ranges: [{ from: 3, until: 3 }] },
    undelivered: { count: 1, deliveries: [idsOf(first)] },
    unqueued: { count: 1, deliveries: [idsOf(second)] },
  };
  t.like(await verifyIn(running), found);
  t.like(await verifyIn(running), found, 'it only reads');
  t.like(await verifyIn(running, { after: 2 }), { ...whole, gaps: found.gaps });
  t.like(await verifyIn(running, { since: new Date().toISOString() }), { ...whole, events: 0 });

  t.is(receiver.hits.length, 4);
  t.like(await verifyIn(running, { repair: true }), { ...found, repaired: 2 });
  for (const id of [first, second]) await delivered(running, id, webhook);
  t.deepEqual(
    receiver.hits
      .map(({ headers }) => String(headers['webhook-id']))
      .slice(4)
      .toSorted(),
    [first, second].map((id) => idsOf(id).deliveryId).toSorted(),
  );
  t.like(await verifyIn(running), { ...whole, gaps: found.gaps });
  t.is((await running.delivery(third, webhook))!.status, 'delivered');
});

test('names an event that no dispatcher handles, and a delivery that is overdue', async (t) => {
  const { running, webhook, events, idsOf, execute } = await open(t);
  const { bus, database } = running;
  await running.stopAll();
  const { id } = await running.publish();
  const webhookId = uuidOf('webhook', webhook.id);
  for (const { id: eventId } of events)
    await execute(
      `insert into dispatcher.queue (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
       values (?, ?, ?, ?, 1, 'retry', now() - interval '1 minute')`,
      running.workspace.id,
      webhookId,
      deliveryId(eventId, webhookId),
      eventId,
    );
  const subscriptions = new Subscriptions(new WebhooksService(bus));
  t.teardown(() => subscriptions.close());
  const verify = verifyDeliveries({
    ...{ database, subscriptions, stream: bus.stream, deliveryRetentionDays: 30 },
    acknowledgedSequence: async () => events.length,
  } as unknown as DispatcherService);
  const answer = async (olderThanSeconds: number) => {
    const input = { since: new Date(0).toISOString(), olderThanSeconds, repair: true };
    const [verified] = await verify([{ ...callAsSystem(), input }]);
    return verified;
  };
  t.like(await answer(0), {
    ...whole,
    unhandled: { count: 1, deliveries: [idsOf(id)] },
    overdue: { count: 3, deliveries: events.map((event) => idsOf(event.id)) },
  });
  t.like(await answer(120), { ...whole, events: 0 }, 'they may be on their way');
  // The queue of a webhook with a rate is as long as it may be.
  webhook.ratePerSecond = 1;
  running.changed();
  await eventually(
    async () => ((await answer(0)) as { overdue: { count: number } }).overdue.count === 0,
  );
});
