import { encodeId, operations, type Operations, type OutputOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { callAs, eventually } from '@roster/testing';
import test from 'ava';
import { bucketOf, durationBuckets } from '../../delivery/count-attempts.js';
import { handlers } from '../../handlers.js';
import type { DispatcherService } from '../../service.js';
import { dispatcherDatabase } from '../dispatcher-database.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor } from './caller.js';

const ids = new IdClock();

test('attempts are counted in the hourly statistics of their webhook, except those of tests', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '0.05' });
  const call = callerFor(running);
  let failures = 0;
  const receiver = await receiverFor(t, (response) =>
    response.writeHead(failures-- > 0 ? 500 : 200).end(),
  );
  const webhook = running.addWebhook(receiver.url);
  const { delivery } = await call('webhooks.test', {
    webhookId: webhook.id,
    kind: 'CONTACT_CREATED',
  });
  await eventually(
    async () =>
      (await call('deliveries.get', { deliveryId: delivery.id })).delivery.status === 'delivered',
  );
  failures = 1;
  const events = await Promise.all(Array.from({ length: 5 }, () => running.publish()));
  for (const { id } of events)
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  const { hours } = await eventually(async () => {
    const { stats } = await call('webhooks.stats', { webhookId: webhook.id });
    return stats.hours.reduce((sum, { attempts }) => sum + attempts, 0) === 6 && stats;
  });
  t.is(
    hours.reduce((sum, { failures: count }) => sum + count, 0),
    1,
  );
  t.true(hours[0]!.p50Ms! > 0 && hours[0]!.p95Ms! >= hours[0]!.p50Ms!);
});

test('the health of webhooks adds up their hours in the period, with percentiles of all attempts, and only those of the workspace', async (t) => {
  const database = await dispatcherDatabase(t);
  const [workspace, other] = [ids.next(), ids.next()];
  const [one, two] = [ids.next(), ids.next()];
  const hourAt = (hoursAgo: number) =>
    new Date(Math.floor(Date.now() / 3_600_000 - hoursAgo) * 3_600_000).toISOString();
  // 97 fast attempts in one hour, and 3 slow ones in another: the mean of both percentiles would be slow.
  const insert = async (
    owner: string,
    webhook: string,
    hour: string,
    ms: number,
    counts: number[],
  ) => {
    const durations = Array(durationBuckets).fill(0);
    durations[bucketOf(ms)] = counts[0];
    const text = `insert into dispatcher.webhook_hours values ($1, $2, $3, $4, $5, $6::bigint[])`;
    const values = [owner, webhook, hour, ...counts, `{${durations.join(',')}}`];
    await database.query({ name: 'test.insert-hour', text }, values);
  };
  await insert(workspace, one, hourAt(5), 10, [97, 90]);
  await insert(workspace, one, hourAt(3), 10_000, [3, 0]);
  await insert(workspace, one, hourAt(40), 10, [50, 50]);
  await insert(workspace, two, hourAt(0), 100, [1, 1]);
  await insert(other, one, hourAt(5), 10, [1000, 1000]);
  const handle = handlers({ database, sourceAddresses: [] } as unknown as DispatcherService)[
    'webhook-health.get'
  ];
  const [first, second] = [one, two].map((id) => encodeId('webhook', id));
  const healthOf = async (more: object = {}, owner = workspace) => {
    const input = operations['webhook-health.get'].input.parse({
      ...{ webhookIds: [second, first, first], ...more },
    });
    const [answer] = await handle([
      { ...callAs({ workspaceId: encodeId('workspace', owner) }), input },
    ]);
    return (answer as OutputOf<Operations['webhook-health.get']>).webhooks;
  };
  const [ofSecond, ofFirst, ...rest] = await healthOf();
  t.deepEqual(rest, []);
  t.like(ofSecond, { webhookId: second, attempts: 1, succeeded: 1, failed: 0 });
  t.like(ofFirst, { webhookId: first, attempts: 100, succeeded: 90, failed: 10 });
  t.true(ofFirst!.p95Ms! <= 10);
  t.deepEqual(
    ofFirst!.hours.map(({ hour, succeeded, failed }) => [hour, succeeded, failed]),
    [
      [hourAt(5), 90, 7],
      [hourAt(3), 0, 3],
    ],
  );
  t.true(ofFirst!.hours[1]!.p95Ms! > 5000);
  const longer = await healthOf({ since: hourAt(40), until: hourAt(4) });
  t.deepEqual(
    longer.map(({ attempts }) => attempts),
    [0, 147],
  );
  t.is((await healthOf({ until: '0001-01-01T12:00:00Z' }))[0]!.attempts, 0);
  const all = await healthOf({ webhookIds: undefined });
  t.deepEqual(all, [ofFirst, ofSecond]);
  t.deepEqual(await healthOf({ webhookIds: undefined }, ids.next()), []);
  const strangers = await healthOf({}, ids.next());
  t.deepEqual(
    strangers.map(({ attempts, p95Ms }) => [attempts, p95Ms]),
    [
      [0, null],
      [0, null],
    ],
  );
  const many = Array.from({ length: 30 }, () => encodeId('webhook', ids.next()));
  const wrong = operations['webhook-health.get'].input.safeParse({
    ...{ webhookIds: many, since: hourAt(170) },
  });
  t.deepEqual(
    wrong.error?.issues.map(({ path }) => path),
    [['since']],
  );
});
