import test from 'ava';
import {
  callAs,
  countChanges,
  failSince,
  getWebhook,
  makeWebhook,
  makeWorkspace,
  reportHealth,
  subscriptionsOf,
  webhooksBench,
} from './webhooks-bench.js';

const bench = webhooksBench(test);
const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Within the days that a webhook may fail. */
const start = Date.now() - 4 * dayMs;

test('disables a webhook after five days of consecutive failures, with a reason, a log line and a broadcast', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const changes = countChanges(bench(), workspace);
  const nearly = Date.now() - 5 * dayMs + hourMs;
  t.deepEqual(await failSince(bench(), workspace, id, nearly), { disabled: false });
  t.is(changes(), 0);
  t.deepEqual(await failSince(bench(), workspace, id, nearly - 2 * hourMs), { disabled: true });
  t.is(changes(), 1);
  const reason = 'All attempts failed for 5 days.';
  t.like(await getWebhook(bench(), workspace, id), { status: 'disabled', disabledReason: reason });
  t.is((await subscriptionsOf(bench(), workspace))[0]!.disabledReason, reason);
  const { workspaceId } = workspace;
  t.deepEqual(warningsOf(id), [{ workspaceId, webhookId: id, reason }]);
  // Logged once.
  t.deepEqual(await failSince(bench(), workspace, id, nearly - dayMs), { disabled: true });
  t.is(changes(), 1);
  t.is(warningsOf(id).length, 1);
});

test('does not disable a webhook that succeeded meanwhile, nor for failures before its URL changed', async (t) => {
  const workspace = makeWorkspace();
  const [well, moved] = [
    await makeWebhook(bench(), workspace),
    await makeWebhook(bench(), workspace),
  ];
  const longAgo = Date.now() - 6 * dayMs;
  await reportHealth(bench(), workspace, well.id, { lastSuccessAt: Date.now() - dayMs });
  t.deepEqual(await failSince(bench(), workspace, well.id, longAgo), { disabled: false });

  await reportHealth(bench(), workspace, moved.id, { failingSince: start, lastFailureAt: start });
  const input = { webhookId: moved.id, url: 'https://example.com/moved' };
  const { webhook } = await bench().bus.call('webhooks.update', input, callAs(workspace));
  t.is(webhook.status, 'active');
  t.deepEqual(await failSince(bench(), workspace, moved.id, longAgo), { disabled: false });
});

test('keeps the reason of a webhook that is already disabled', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace);
  await bench().bus.call('webhooks.disable', { webhookId }, callAs(workspace));
  const changes = countChanges(bench(), workspace);
  const answer = await failSince(bench(), workspace, webhookId, Date.now() - 6 * dayMs);
  t.deepEqual(answer, { disabled: true });
  t.is(changes(), 0);
  t.is((await getWebhook(bench(), workspace, webhookId)).disabledReason, 'Disabled by a user.');
});

const warningsOf = (id: string) =>
  bench().warnings.filter((warning) => (warning as { webhookId: string }).webhookId === id);
