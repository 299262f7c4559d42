import { uuidOf } from '@roster/contracts';
import test from 'ava';
import {
  callAs,
  callAsSystem,
  eventsOf,
  failSince,
  makeWebhook,
  makeWorkspace,
  reportHealth,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);
const dayMs = 86_400_000;
const minuteMs = 60_000;

test('disabling a webhook is one event, whoever did it, and once', async (t) => {
  const workspace = makeWorkspace();
  const { bus } = bench();
  const [byUser, byReceiver, byTime] = [
    await makeWebhook(bench(), workspace),
    await makeWebhook(bench(), workspace),
    await makeWebhook(bench(), workspace),
  ];
  for (let times = 0; times < 2; times += 1) {
    await bus.call('webhooks.disable', { webhookId: byUser.id }, callAs(workspace));
    const shutOff = { ...workspace, webhookId: byReceiver.id, reason: 'The receiver answered.' };
    await bus.call('webhooks.shut-off', shutOff, callAsSystem());
    await failSince(bench(), workspace, byTime.id, Date.now() - 6 * dayMs);
  }
  const disabled = (await eventsOf(bench(), workspace)).filter(
    ([kind]) => kind === 'WEBHOOK_DISABLED',
  );
  t.deepEqual(
    disabled.map(([, { id, disabledReason }]) => [id, disabledReason]),
    [
      [byUser.id, 'Disabled by a user.'],
      [byReceiver.id, 'The receiver answered.'],
      [byTime.id, 'All attempts failed for 5 days.'],
    ],
  );
  t.deepEqual(Object.keys(disabled[0]![1]), [
    'id',
    'description',
    'failingSince',
    'disabledReason',
  ]);
});

test('its events are compared with the stream', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace);
  await bench().bus.call('webhooks.disable', { webhookId }, callAs(workspace));
  const input = { since: new Date(0).toISOString(), olderThanSeconds: 3600, repair: false };
  const { absent, unpublished } = await bench().bus.call(
    'webhooks.verify-outbox',
    input,
    callAsSystem(),
  );
  t.deepEqual([absent.count, unpublished.count], [0, 0]);
});

test('a webhook that was enabled is announced again when it is disabled again', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace);
  for (const operation of ['webhooks.disable', 'webhooks.enable', 'webhooks.disable'] as const)
    await bench().bus.call(operation, { webhookId }, callAs(workspace));
  t.deepEqual(
    (await eventsOf(bench(), workspace)).map(([kind]) => kind),
    ['WEBHOOK_DISABLED', 'WEBHOOK_DISABLED'],
  );
});

test('a webhook that begins to fail is announced once, however many dispatchers report it', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const since = Date.now() - minuteMs;
  await Promise.all(
    Array.from({ length: 20 }, () =>
      reportHealth(bench(), workspace, id, { failingSince: since, lastFailureAt: since }),
    ),
  );
  const failingSince = new Date(since).toISOString();
  t.deepEqual(await failing(workspace), [
    { id, description: null, failingSince, disabledReason: null },
  ]);
  // The first failure that is kept moves within its interval; the webhook still fails since the same success.
  await passHours(workspace, 2);
  await failSince(bench(), workspace, id, Date.now() - 1);
  t.is((await failing(workspace)).length, 1);
});

test('a webhook that fails again is announced again, at most once per hour', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const start = Date.now() - 10 * minuteMs;
  const see = async (seconds: number, isFailure: boolean) => {
    const at = start + seconds * 1000;
    const health = isFailure ? { failingSince: at, lastFailureAt: at } : { lastSuccessAt: at };
    await reportHealth(bench(), workspace, id, health);
    return (await failing(workspace)).length;
  };
  t.is(await see(0, false), 0);
  t.is(await see(1, true), 1);
  t.is(await see(2, false), 1);
  // It failed again within the hour, and still does after it.
  t.is(await see(3, true), 1);
  await passHours(workspace, 1);
  t.is(await see(4, true), 2);
  t.is(await see(5, true), 2);
});

test('a failing webhook that was enabled is announced again after an hour, and a disabled one is not', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace);
  const fail = async (ms: number) => {
    const at = Date.now() + ms;
    await reportHealth(bench(), workspace, webhookId, { failingSince: at, lastFailureAt: at });
    return (await failing(workspace)).length;
  };
  t.is(await fail(-1), 1);
  await bench().bus.call('webhooks.disable', { webhookId }, callAs(workspace));
  await passHours(workspace, 2);
  t.is(await fail(0), 1);
  await bench().bus.call('webhooks.enable', { webhookId }, callAs(workspace));
  t.is(await fail(minuteMs), 2);
});

const failing = async (workspace: Workspace) =>
  (await eventsOf(bench(), workspace)).flatMap(([kind, webhook]) =>
    kind === 'WEBHOOK_FAILING' ? [webhook] : [],
  );

/** Moves the last announcement into the past. */
const passHours = (workspace: Workspace, hours: number) =>
  bench().database.query(
    {
      name: 'test.pass-hours',
      text: `update webhooks.webhooks set failing_announced_at = failing_announced_at - $2 * interval '1 hour' where workspace_id = $1`,
    },
    [uuidOf('workspace', workspace.workspaceId), hours],
  );
