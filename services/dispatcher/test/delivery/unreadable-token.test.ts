import { eventStream } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

test('a delivery whose token cannot be decrypted waits, shows the reason, delays no other, and is sent once the token is readable', async (t) => {
  const running = await runDispatcher(t);
  const [receiver, neighbour] = await Promise.all([receiverFor(t), receiverFor(t)]);
  const webhook = running.addWebhook(receiver.url, { token: null });
  const sound = running.addWebhook(neighbour.url);
  const { id } = await running.publish();
  await eventually(async () => (await running.delivery(id, sound))?.status === 'delivered');
  const waiting = await eventually(() => running.delivery(id, webhook));
  t.like(waiting, { status: 'pending', reason: 'The token of the webhook cannot be decrypted.' });
  t.is(receiver.hits.length, 0);
  const manager = await running.bus.link.nats.jetstreamManager();
  await eventually(async () => {
    const { num_ack_pending } = await manager.consumers.info(eventStream, 'dispatcher');
    return num_ack_pending === 0;
  });

  webhook.token = 'readable-again';
  running.changed();
  // Not leased ones, whose attempt is in flight: they would be sent twice.
  const text = 'update dispatcher.queue set due_at = now() where lease is null';
  const hurry = { name: 'test.hurry', text };
  await eventually(async () => {
    await running.database.query(hurry, []);
    return (await running.delivery(id, webhook))?.status === 'delivered';
  });
  t.is((await running.delivery(id, webhook))!.reason, null);
  t.is(receiver.hits.length, 1);
});
