import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

test('deliveries of a suspended workspace wait without attempts, and are all sent when it is resumed', async (t) => {
  const running = await runDispatcher(t, {
    RETRY_SCHEDULE_SECONDS: Array(99).fill('0.2').join(','),
  });
  let status = 500;
  const receiver = await receiverFor(t, (response) => response.writeHead(status).end());
  const webhook = running.addWebhook(receiver.url);
  const before = await running.publish();
  const { token } = webhook;
  await eventually(
    async () => ((await running.delivery(before.id, webhook))?.attempts.length ?? 0) > 0,
  );
  Object.assign(webhook, { isHeld: true, token: null });
  running.changed();
  const during = await running.publish();
  const parked = async () =>
    (
      await running.database.query<{ count: number }>(
        {
          name: 'test.parked',
          text: `select count(*)::int as count from dispatcher.queue where due_at = 'infinity'`,
        },
        [],
      )
    )[0]!.count;
  await eventually(async () => (await parked()) === 2, { timeoutMs: 30_000 });
  t.like(await running.delivery(during.id, webhook), { status: 'pending', attempts: [] });
  const hits = receiver.hits.length;
  status = 200;
  Object.assign(webhook, { isHeld: undefined, token });
  running.changed();
  for (const { id } of [before, during])
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  t.is(receiver.hits.length, hits + 2);
});
