import test from 'ava';
import {
  callAsSystem,
  makeWebhook,
  makeWorkspace,
  subscriptionsOf,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);

const deletePortion = ({ workspaceId }: Workspace) =>
  bench().bus.call('webhooks.delete-workspace', { workspaceId }, callAsSystem());

test('deletes the webhooks of a workspace and its suspension, and nothing of another', async (t) => {
  const [workspace, other] = [makeWorkspace(), makeWorkspace()];
  await Promise.all([workspace, other].map((one) => makeWebhook(bench(), one)));
  const suspension = { workspaceId: workspace.workspaceId, suspended: true };
  await bench().bus.call('webhook-suspensions.set', suspension, callAsSystem());
  while (!(await deletePortion(workspace)).isDone);
  t.deepEqual(await subscriptionsOf(bench(), workspace), []);
  const rows = await bench().database.query<{ count: number }>(
    { name: 'test.held', text: 'select count(*)::int as count from webhooks.suspended_workspaces' },
    [],
  );
  t.deepEqual(rows, [{ count: 0 }]);
  t.is((await subscriptionsOf(bench(), other)).length, 1);
});
