import { encodeId } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { idAt } from '../id-at.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

test('when its consumer is created again, a dispatcher sends no webhook an event from before the webhook', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const first = running.addWebhook(receiver.url, {
    id: encodeId('webhook', idAt(Date.now() - 3_600_000)),
  });
  const old = await running.publish('CONTACT_CREATED', { id: idAt(Date.now() - 600_000) });
  await eventually(async () => (await running.delivery(old.id, first))?.status === 'delivered');

  const second = running.addWebhook(receiver.url);
  const manager = await running.bus.link.nats.jetstreamManager();
  const { created } = await manager.consumers.info('EVENTS', 'dispatcher');
  await manager.consumers.delete('EVENTS', 'dispatcher');
  await eventually(
    async () => (await manager.consumers.info('EVENTS', 'dispatcher')).created !== created,
  );
  // The clock of the machine that wrote it may be behind.
  const recent = await running.publish('CONTACT_CREATED', { id: idAt(Date.now() - 30_000) });
  await eventually(async () => (await running.delivery(recent.id, second))?.status === 'delivered');
  await eventually(async () => {
    const info = await manager.consumers.info('EVENTS', 'dispatcher');
    return info.num_pending === 0 && info.num_ack_pending === 0;
  });
  t.is(await running.delivery(old.id, second), undefined);
  t.is(receiver.hits.length, 3);
});
