import { createHmac } from 'node:crypto';
import {
  deliveredData,
  encodeId,
  uuidOf,
  type EventBody,
  type EventDetails,
} from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { deliveryId } from '../../delivery/delivery.js';
import { callerFor } from '../operations/caller.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

const contact = {
  tags: ['a', 'Ünï "🙂"'],
  properties: { city: 'Zürich', plan: 'pro' },
  status: 'subscribed',
} as const;
const previous = { name: 'before', properties: { city: 'Basel', plan: null } };
const details = JSON.stringify({ contact, previous });

test('sends the details of an event to webhooks with the full payload only, and signs what it sends', async (t) => {
  const running = await runDispatcher(t);
  const receivers = { compact: await receiverFor(t), full: await receiverFor(t) };
  running.addWebhook(receivers.compact.url, { payload: 'compact' });
  const webhook = running.addWebhook(receivers.full.url, { payload: 'full' });
  const event = await running.publish('CONTACT_UPDATED', { details });
  await eventually(() => receivers.compact.hits.length + receivers.full.hits.length === 2);
  t.is(receivers.compact.hits[0]!.body, event.body);
  const { headers, body } = receivers.full.hits[0]!;
  const compact = JSON.parse(event.body) as EventBody<'CONTACT_UPDATED'>;
  t.deepEqual(JSON.parse(body), {
    ...compact,
    data: {
      contact: { ...compact.data.contact, ...contact },
      changed: ['name', 'properties.city', 'properties.plan'],
      previous,
    },
  });
  const signature = createHmac('sha256', webhook.token!).update(body).digest('hex');
  t.is(headers['x-roster-signature'], signature);
});

test('sends the same body at every attempt, also after the payload of the webhook was changed', async (t) => {
  const running = await runDispatcher(t);
  const call = callerFor(running);
  let status = 500;
  const receiver = await receiverFor(t, (response) => {
    // Changed after the first attempt of each delivery was received, and before its outcome is recorded.
    if (status === 500) {
      for (const webhook of running.webhooks)
        webhook.payload = webhook.payload === 'full' ? 'compact' : 'full';
      running.changed();
    }
    response.writeHead(status).end();
    status = 200;
  });
  for (const payload of ['full', 'compact'] as const) {
    running.webhooks.length = 0;
    receiver.hits.length = 0;
    status = 500;
    const webhook = running.addWebhook(receiver.url, { payload });
    const { id, body } = await running.publish('CONTACT_UPDATED', { details });
    const isDelivered = async () => (await running.delivery(id, webhook))?.status === 'delivered';
    await eventually(isDelivered);
    const outside = encodeId('delivery', deliveryId(id, uuidOf('webhook', webhook.id)));
    await call('deliveries.retry', { deliveryId: outside });
    await eventually(async () => receiver.hits.length === 3 && (await isDelivered()));
    t.not(webhook.payload, payload);
    const sent = receiver.hits.map((hit) => hit.body);
    t.deepEqual(
      sent,
      Array.from({ length: 3 }, () => sent[0]!),
    );
    t.is(sent[0] === body, payload === 'compact');
    const { delivery } = await call('deliveries.get', { deliveryId: outside });
    t.deepEqual(delivery.payload, JSON.parse(sent[0]!));
  }
});

test('sends the body as it is if the event has no details, or details that are not those of a contact', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  running.addWebhook(receiver.url, { payload: 'full' });
  const bodies: string[] = [];
  for (const given of [undefined, 'no JSON', '[]', '{"contact":{"tags":1}}'])
    bodies.push(
      (await running.publish('CONTACT_CREATED', given === undefined ? {} : { details: given }))
        .body,
    );
  await eventually(() => receiver.hits.length === bodies.length);
  t.deepEqual(receiver.hits.map(({ body }) => body).toSorted(), bodies.toSorted());
});

test('a test delivery has the payload of its webhook', async (t) => {
  const running = await runDispatcher(t);
  const call = callerFor(running);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url, { payload: 'full' });
  const { delivery } = await call('webhooks.test', {
    webhookId: webhook.id,
    kind: 'CONTACT_UPDATED',
  });
  await eventually(() => receiver.hits.length === 1);
  const sent = JSON.parse(receiver.hits[0]!.body) as { data: EventDetails };
  t.like(sent, { event: 'CONTACT_UPDATED', test: true });
  t.deepEqual(deliveredData.CONTACT_UPDATED.parse(sent.data) as object, sent.data);
  t.like(sent.data, { changed: ['name', 'properties.city'], contact: { status: 'subscribed' } });
  const shown = await call('deliveries.get', { deliveryId: delivery.id });
  t.deepEqual(shown.delivery.payload, sent);
});
