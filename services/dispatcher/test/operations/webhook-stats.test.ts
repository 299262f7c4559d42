import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor } from './caller.js';

test('attempts are counted in the hourly statistics of their webhook, except those of tests', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '0.05' });
  const call = callerFor(running);
  let failures = 0;
  const receiver = await receiverFor(t, (response) =>
    response.writeHead(failures-- > 0 ? 500 : 200).end(),
  );
  const webhook = running.addWebhook(receiver.url);
  const { delivery } = await call('webhooks.test', {
    webhookId: webhook.id,
    kind: 'CONTACT_CREATED',
  });
  await eventually(
    async () =>
      (await call('deliveries.get', { deliveryId: delivery.id })).delivery.status === 'delivered',
  );
  failures = 1;
  const events = await Promise.all(Array.from({ length: 5 }, () => running.publish()));
  for (const { id } of events)
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  const { hours } = await eventually(async () => {
    const { stats } = await call('webhooks.stats', { webhookId: webhook.id });
    return stats.hours.reduce((sum, { attempts }) => sum + attempts, 0) === 6 && stats;
  });
  t.is(
    hours.reduce((sum, { failures: count }) => sum + count, 0),
    1,
  );
  t.true(hours[0]!.p50Ms! > 0 && hours[0]!.p95Ms! >= hours[0]!.p50Ms!);
});
