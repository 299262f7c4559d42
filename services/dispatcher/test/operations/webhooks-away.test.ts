import type { HandlerTable } from '@roster/bus';
import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor, codeOf, idOf } from './caller.js';

for (const how of ['is stopped', 'does not answer in time'])
  test(`every operation on a webhook answers unavailable while the webhooks service ${how}`, async (t) => {
    const running = await runDispatcher(t);
    const call = callerFor(running);
    const receiver = await receiverFor(t);
    const webhook = running.addWebhook(receiver.url);
    const { id } = await running.publish();
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
    await running.stopWebhooks();
    if (how !== 'is stopped') {
      const answer = Promise.withResolvers<never>();
      const hang = { 'webhooks.subscriptions': () => answer.promise };
      const stop = running.bus.serve('webhooks', hang as unknown as HandlerTable<'webhooks'>);
      t.teardown(() => {
        answer.reject(new Error('ended'));
        return stop();
      });
    }
    running.changed();
    const webhookId = webhook.id;
    const since = '2026-01-01T00:00:00Z';
    const codes = await Promise.all(
      [
        call('deliveries.retry', { deliveryId: idOf(id, webhookId) }),
        call('deliveries.retry', { deliveryId: idOf(id, webhookId) }, 'key'),
        call('deliveries.list', { webhookId }),
        call('webhooks.test', { webhookId, kind: 'CONTACT_CREATED' }),
        call('webhooks.stats', { webhookId }),
        call('replays.create', { webhookId, since }),
        call('replays.create', { webhookId, since, dryRun: true }, 'dry'),
      ].map(codeOf),
    );
    t.deepEqual(codes, Array(7).fill('unavailable'));
    t.is(await running.delivery(id, webhook).then((row) => row!.status), 'delivered');
  });
