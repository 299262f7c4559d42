import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

test('deliveries are signed with both tokens during the overlap of a rotation, afterwards only with the new one', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const until = new Date(Date.now() + 60_000).toISOString();
  const webhook = running.addWebhook(receiver.url, {
    previousToken: { token: 'the-old-token', until },
  });
  const first = await running.publish();
  await eventually(async () => (await running.delivery(first.id, webhook))?.status === 'delivered');
  const { headers } = receiver.hits[0]!;
  t.is((headers['webhook-signature'] as string).split(' ').length, 2);
  t.truthy(headers['x-roster-signature-previous']);
  webhook.previousToken = { token: 'the-old-token', until: new Date(Date.now() - 1).toISOString() };
  running.changed();
  const second = await running.publish();
  await eventually(
    async () => (await running.delivery(second.id, webhook))?.status === 'delivered',
  );
  t.is((receiver.hits[1]!.headers['webhook-signature'] as string).split(' ').length, 1);
  t.is(receiver.hits[1]!.headers['x-roster-signature-previous'], undefined);
});
