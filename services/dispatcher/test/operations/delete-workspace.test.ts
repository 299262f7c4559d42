import { callAsSystem, eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

test('deletes the events, deliveries and figures of a workspace, also those that are pending', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '3600' });
  const { database, workspace } = running;
  let status = 200;
  const receiver = await receiverFor(t, (response) => response.writeHead(status).end());
  const webhook = running.addWebhook(receiver.url);
  const delivered = await running.publish();
  await eventually(
    async () => (await running.delivery(delivered.id, webhook))?.status === 'delivered',
  );
  status = 500;
  const pending = await running.publish();
  await eventually(
    async () => ((await running.delivery(pending.id, webhook))?.attempts.length ?? 0) > 0,
  );
  const input = { workspaceId: workspace.outside };
  const deletePortion = () =>
    running.bus.call('dispatcher.delete-workspace', input, callAsSystem());
  let deleted = 0;
  for (;;) {
    const portion = await deletePortion();
    deleted += portion.deleted;
    if (portion.isDone) break;
  }
  t.true(deleted >= 5);
  for (const table of ['events', 'deliveries', 'queue', 'webhook_hours']) {
    const text = `select count(*)::int as count from dispatcher.${table}`;
    t.deepEqual(await database.query({ name: `test.${table}`, text }, []), [{ count: 0 }], table);
  }
});
