import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor, codeOf, idOf } from './caller.js';

test('refuses to test or replay a disabled webhook; a dry run still counts', async (t) => {
  const running = await runDispatcher(t);
  const call = callerFor(running);
  const receiver = await receiverFor(t);
  const { id: webhookId } = running.addWebhook(receiver.url, {
    disabledReason: 'Disabled by a user.',
  });
  const replay = { webhookId, since: '2026-01-01T00:00:00Z' };
  t.is(await codeOf(call('webhooks.test', { webhookId, kind: 'CONTACT_CREATED' })), 'conflict');
  t.is(await codeOf(call('replays.create', replay)), 'conflict');
  t.is((await call('replays.create', { ...replay, dryRun: true })).replay.status, 'dry_run');
  t.is(receiver.hits.length, 0);
});

test('refuses to retry a delivery whose webhook was deleted', async (t) => {
  const running = await runDispatcher(t);
  const call = callerFor(running);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  running.webhooks.splice(0);
  running.changed();
  const deliveryId = idOf(id, webhook.id);
  await eventually(
    async () => (await codeOf(call('deliveries.retry', { deliveryId }))) === 'conflict',
  );
  t.is((await call('deliveries.get', { deliveryId })).delivery.status, 'delivered');
});
