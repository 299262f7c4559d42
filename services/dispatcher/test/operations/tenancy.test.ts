import { encodeId } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor, codeOf, idOf } from './caller.js';

test('another workspace can neither read nor change deliveries and replays', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = await receiverFor(t, (response) => response.writeHead(500).end());
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  await eventually(() => running.delivery(id, webhook));
  const mine = callerFor(running);
  const { replay } = await mine('replays.create', {
    webhookId: webhook.id,
    since: '2026-01-01T00:00:00Z',
  });
  const stranger = callerFor(
    running,
    encodeId('workspace', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01'),
  );
  const deliveryId = idOf(id, webhook.id);
  // The stand-in for the webhooks service answers every workspace alike: statements must filter by workspace.
  t.deepEqual((await stranger('deliveries.list', { webhookId: webhook.id })).deliveries, []);
  t.deepEqual((await stranger('workspace-deliveries.list', {})).deliveries, []);
  t.is((await mine('workspace-deliveries.list', {})).deliveries.length, 1);
  t.deepEqual((await stranger('webhooks.stats', { webhookId: webhook.id })).stats.hours, []);
  t.is(await codeOf(stranger('deliveries.get', { deliveryId })), 'not_found');
  t.is(await codeOf(stranger('deliveries.retry', { deliveryId })), 'not_found');
  t.deepEqual((await stranger('replays.list', {})).replays, []);
  t.is((await mine('replays.list', {})).replays.length, 1);
  t.is(await codeOf(stranger('replays.get', { replayId: replay.id! })), 'not_found');
  t.is(await codeOf(stranger('replays.cancel', { replayId: replay.id! })), 'not_found');
  const dry = await stranger('replays.create', {
    webhookId: webhook.id,
    since: '2026-01-01T00:00:00Z',
    dryRun: true,
  });
  t.is(dry.replay.total, 0);
});
