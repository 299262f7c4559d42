import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

test('deliveries of a disabled webhook are parked, and resume when it is enabled', async (t) => {
  const running = await runDispatcher(t, {
    RETRY_SCHEDULE_SECONDS: Array(99).fill('0.2').join(','),
  });
  let status = 500;
  const receiver = await receiverFor(t, (response) => response.writeHead(status).end());
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'pending');
  webhook.disabledReason = 'Disabled by a user.';
  running.changed();
  const parked = async () =>
    (
      await running.database.query<{ due: string }>(
        { name: 'test.parked', text: `select due_at::text as due from dispatcher.queue` },
        [],
      )
    )[0]?.due === 'infinity';
  await eventually(parked);
  const hits = receiver.hits.length;
  const skipped = await running.publish();
  t.like(await eventually(() => running.delivery(skipped.id, webhook)), { status: 'skipped' });
  t.is(receiver.hits.length, hits);
  status = 200;
  webhook.disabledReason = null;
  running.changed();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  t.is((await running.delivery(skipped.id, webhook))!.status, 'skipped');
});
