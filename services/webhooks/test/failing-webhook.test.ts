import { IdClock } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { reportHealth as handleReports } from '../operations/report-health.js';
import type { WebhooksService } from '../service.js';
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

test('disables the webhooks of a batch at the same time, also while JetStream does not answer', async (t) => {
  const workspace = makeWorkspace();
  const both = [await makeWebhook(bench(), workspace), await makeWebhook(bench(), workspace)];
  const { database } = bench();
  const answer = Promise.withResolvers<never>();
  let requests = 0;
  const streamPosition = () => {
    requests += 1;
    return answer.promise;
  };
  const service = {
    ...{ database, failingDaysMax: 5, log: { warn: () => undefined }, ids: new IdClock() },
    outbox: { add: () => Promise.resolve() },
    bus: { streamPosition, broadcast: () => undefined },
  } as unknown as WebhooksService;
  const times = {
    lastSuccessAt: null,
    lastFailureAt: new Date().toISOString(),
    failingSince: new Date(Date.now() - 6 * dayMs).toISOString(),
  };
  const calls = both.map(({ id }, n) => ({
    ...callAs(workspace),
    ...{ requestId: `report-${n}`, deadline: Infinity, bytes: 0 },
    input: { ...workspace, webhookId: id, ...times },
  }));
  const answers = handleReports(service)(calls);
  await eventually(() => requests === 2);
  answer.reject(new Error('no answer'));
  t.deepEqual(await answers, [{ disabled: true }, { disabled: true }]);
});

const warningsOf = (id: string) =>
  bench().warnings.filter((warning) => (warning as { webhookId: string }).webhookId === id);
