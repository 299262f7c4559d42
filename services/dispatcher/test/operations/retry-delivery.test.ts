import { encodeId } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor, codeOf, idOf, patient } from './caller.js';

test('a manual retry sends a delivery again, whatever its status', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '0.05' });
  const call = callerFor(running);
  let status = 500;
  const receiver = await receiverFor(t, (response) => response.writeHead(status).end());
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'dead');
  status = 200;
  const deliveryId = idOf(id, webhook.id);
  const { delivery } = await call('deliveries.retry', { deliveryId }, 'once');
  t.like(delivery, { id: deliveryId, status: 'pending', reason: null });
  await call('deliveries.retry', { deliveryId }, 'once');
  await eventually(
    async () => (await running.delivery(id, webhook))?.status === 'delivered',
    patient,
  );
  t.deepEqual(
    receiver.hits.map(({ headers }) => [
      headers['x-roster-event-id'],
      headers['x-roster-webhook-id'],
    ]),
    Array.from({ length: 3 }, () => [encodeId('event', id), webhook.id]),
  );
  t.is(receiver.hits.length, 3, 'a repeated Idempotency-Key retries only once');
  await call('deliveries.retry', { deliveryId });
  await eventually(() => receiver.hits.length === 4, patient);
  const row = await eventually(async () => {
    const found = await running.delivery(id, webhook);
    return found?.status === 'delivered' && found.attempts.length === 4 && found;
  });
  t.deepEqual(
    row.attempts.map(({ trigger }) => trigger),
    ['event', 'retry', 'manual', 'manual'],
  );
  webhook.disabledReason = 'Disabled by a user.';
  running.changed();
  await eventually(
    async () => (await codeOf(call('deliveries.retry', { deliveryId }))) === 'conflict',
  );
  t.is(
    await codeOf(
      call('deliveries.retry', { deliveryId: idOf(webhook.id.replace('wh_', ''), webhook.id) }),
    ),
    'not_found',
  );
});
