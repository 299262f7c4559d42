import {
  auditEntriesMax,
  encodeId,
  operations,
  systemCaller,
  type CallInputOf,
  type InputOf,
  type Operations,
} from '@roster/contracts';
import { IdClock } from '@roster/process';
import { callAs, eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher, type RunningDispatcher } from '../running-dispatcher.js';
import { codeOf, idOf } from './caller.js';

test('replays and retries have one entry each, also if they are repeated with the same key', async (t) => {
  const running = await runDispatcher(t);
  const call = callerOf(running);
  const { webhook, deliveryId } = await delivered(t, running);
  const wish = { webhookId: webhook.id, since: '2026-01-01T00:00:00Z' };
  await call('replays.create', { ...wish, dryRun: true });
  await call('replays.create', wish, 'replay');
  const { replay } = await call('replays.create', wish, 'replay');
  // Its steps are far apart: it runs until it is cancelled.
  await running.database.em.execute(`update dispatcher.replays set status = 'running'`);
  for (let n = 0; n < 2; n += 1) await call('replays.cancel', { replayId: replay.id! });
  for (let n = 0; n < 2; n += 1) await call('deliveries.retry', { deliveryId }, 'retry');
  const [retried, cancelled, created, ...more] = await entriesOf(running);
  t.deepEqual(more, []);
  t.like(created, { action: 'replay.created', resourceId: replay.id, before: null });
  const { since, until } = replay;
  const range = { since, until, deliveryStatus: null, kinds: null };
  t.deepEqual(created!.after, { webhookId: webhook.id, ...range, deliveries: 1 });
  t.like(cancelled, { action: 'replay.cancelled', resourceId: replay.id });
  t.like(retried, {
    ...{ action: 'delivery.retried', resourceId: deliveryId, actor: user.userId },
    ...{ keyId: user.keyId, address: '203.0.113.7' },
  });
});

test('at the limit of a day, no delivery is sent again without an entry, and a replay can be cancelled', async (t) => {
  const running = await runDispatcher(t);
  const call = callerOf(running);
  const { webhook, receiver, deliveryId } = await delivered(t, running);
  const wish = { webhookId: webhook.id, since: '2026-01-01T00:00:00Z' };
  const { replay } = await call('replays.create', wish);
  await eventually(() => receiver.hits.length === 2);
  await running.database.em.execute(
    `update dispatcher.audit_days set entries = ${auditEntriesMax}`,
  );
  t.is(await codeOf(call('replays.create', wish)), 'rate_limited');
  t.is(await codeOf(call('deliveries.retry', { deliveryId })), 'rate_limited');
  const [{ count }] = await running.database.em.execute<[{ count: number }]>(
    'select count(*)::int as count from dispatcher.replays',
  );
  t.is(count, 1);
  await running.database.em.execute(`update dispatcher.replays set status = 'running'`);
  await call('replays.cancel', { replayId: replay.id! });
  t.deepEqual(
    (await entriesOf(running)).map(({ action }) => action),
    ['replay.cancelled', 'replay.created'],
  );
  t.is(receiver.hits.length, 2);
});

const ids = new IdClock();
const user = { userId: encodeId('user', ids.next()), keyId: encodeId('key', ids.next()) };

type Name = 'replays.create' | 'replays.cancel' | 'deliveries.retry';

/** Calls operations as a user: operators have no limit. */
const callerOf =
  ({ bus, workspace }: RunningDispatcher) =>
  <N extends Name>(name: N, input: CallInputOf<Operations[N]>, idempotencyKey?: string) =>
    bus.call(name, operations[name].input.parse(input) as InputOf<Operations[N]>, {
      ...callAs({ workspaceId: workspace.outside, ...user }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      address: '203.0.113.7',
    });

async function delivered(t: Parameters<typeof receiverFor>[0], running: RunningDispatcher) {
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  return { receiver, webhook, deliveryId: idOf(id, webhook.id) };
}

async function entriesOf({ bus, workspace }: RunningDispatcher) {
  const input = { workspaceId: workspace.outside, limit: 100 };
  const context = { ...callAs({ workspaceId: workspace.outside }), caller: systemCaller };
  return (await bus.call('dispatcher.audit-entries', input, context)).entries;
}
