import {
  encodeId,
  Fault,
  operations,
  uuidOf,
  type CallInputOf,
  type InputOf,
  type OperationName,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { IdClock } from '@roster/service';
import { callAs, eventually } from '@roster/testing';
import test from 'ava';
import { deliveryId } from '../delivery.js';
import { quantile } from '../latency-histogram.js';
import { receiverFor, runDispatcher, type RunningDispatcher } from './running-dispatcher.js';

const patient = { timeoutMs: 20_000 };

function askerFor({ bus, workspace }: RunningDispatcher, workspaceId = workspace.outside) {
  return <Name extends OperationName>(
    name: Name,
    input: CallInputOf<Operations[Name]>,
    idempotencyKey?: string,
  ): Promise<OutputOf<Operations[Name]>> =>
    bus.ask(
      name,
      operations[name].input.parse(input) as InputOf<Operations[Name]>,
      callAs({ workspaceId }, idempotencyKey === undefined ? {} : { idempotencyKey }),
    );
}

const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'ok',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  );

const idOf = (eventId: string, webhookId: string) =>
  encodeId('delivery', deliveryId(eventId, uuidOf('webhook', webhookId)));

test('lists deliveries newest first, filtered, page by page, and shows one with its payload and attempts', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '3600' });
  const ask = askerFor(running);
  const receiver = await receiverFor(t, (response, { headers }) =>
    response
      .writeHead(headers['x-roster-event'] === 'CONTACT_DELETED' ? 500 : 200, {
        'set-cookie': 'x=1',
      })
      .end('answer'),
  );
  const webhook = running.addWebhook(receiver.url);
  const other = running.addWebhook(receiver.url, { events: ['CONTACT_DELETED'] });
  const events: { id: string; body: string }[] = [];
  for (let n = 0; n < 5; n += 1) events.push(await running.publish());
  const failed = await running.publish('CONTACT_DELETED');
  for (const { id } of [...events, failed]) await eventually(() => running.delivery(id, webhook));
  await eventually(() => running.delivery(failed.id, other));

  const all = await ask('deliveries.list', { webhookId: webhook.id });
  t.deepEqual(
    all.deliveries.map(({ id }) => id),
    [...events, failed].map(({ id }) => idOf(id, webhook.id)).toReversed(),
  );
  t.like(all.deliveries[0], {
    status: 'pending',
    kind: 'CONTACT_DELETED',
    attemptCount: 1,
    webhookId: webhook.id,
  });
  t.true(Date.parse(all.deliveries[0]!.nextAttemptAt!) > Date.now() + 1_000_000);
  t.like(all.deliveries[1], { status: 'delivered', attemptCount: 1, nextAttemptAt: null });

  const paged: string[] = [];
  let after: string | null | undefined;
  do {
    const page = await ask('deliveries.list', {
      webhookId: webhook.id,
      limit: 2,
      ...(after ? { after } : {}),
    });
    paged.push(...page.deliveries.map(({ id }) => id));
    after = page.pagination.next;
  } while (after);
  t.deepEqual(
    paged,
    all.deliveries.map(({ id }) => id),
  );
  t.is(
    (await ask('deliveries.list', { webhookId: webhook.id, status: 'pending' })).deliveries.length,
    1,
  );
  t.is(
    (await ask('deliveries.list', { webhookId: webhook.id, kind: 'CONTACT_CREATED' })).deliveries
      .length,
    5,
  );
  t.is(
    (await ask('deliveries.list', { webhookId: webhook.id, until: '2026-01-01T00:00:00Z' }))
      .deliveries.length,
    0,
  );
  t.is(
    (await ask('deliveries.list', { webhookId: webhook.id, since: '2026-01-01T00:00:00+02:00' }))
      .deliveries.length,
    6,
  );
  t.is(
    await codeOf(ask('deliveries.list', { webhookId: webhook.id, after: 'nonsense' })),
    'invalid',
  );

  const { delivery } = await ask('deliveries.get', { deliveryId: idOf(failed.id, webhook.id) });
  t.deepEqual(delivery.payload, JSON.parse(failed.body) as object);
  t.like(delivery.attempts[0], {
    number: 1,
    trigger: 'event',
    address: '127.0.0.1',
    statusCode: 500,
    errorClass: 'status',
    responseBody: 'answer',
  });
  t.is(delivery.attempts[0]!.responseHeaders['set-cookie'], '(redacted)');
  t.true(delivery.attempts[0]!.totalMs > 0);
  t.notThrows(() => operations['deliveries.get'].output.parse({ delivery }));
});

test('another workspace sees and changes nothing of it', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = await receiverFor(t, (response) => response.writeHead(500).end());
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  await eventually(() => running.delivery(id, webhook));
  const mine = askerFor(running);
  const { replay } = await mine('replays.create', {
    webhookId: webhook.id,
    since: '2026-01-01T00:00:00Z',
  });
  const stranger = askerFor(running, encodeId('workspace', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01'));
  const deliveryId = idOf(id, webhook.id);
  // The stand-in for the webhooks service answers everybody alike: the rows' own workspace must keep them apart.
  t.deepEqual((await stranger('deliveries.list', { webhookId: webhook.id })).deliveries, []);
  t.deepEqual((await stranger('webhooks.stats', { webhookId: webhook.id })).stats.hours, []);
  t.is(await codeOf(stranger('deliveries.get', { deliveryId })), 'not_found');
  t.is(await codeOf(stranger('deliveries.retry', { deliveryId })), 'not_found');
  t.is(await codeOf(stranger('replays.get', { replayId: replay.id! })), 'not_found');
  t.is(await codeOf(stranger('replays.cancel', { replayId: replay.id! })), 'not_found');
  const dry = await stranger('replays.create', {
    webhookId: webhook.id,
    since: '2026-01-01T00:00:00Z',
    dryRun: true,
  });
  t.is(dry.replay.total, 0);
});

test('sends a delivery again by hand, whatever became of it', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '0.05' });
  const ask = askerFor(running);
  let status = 500;
  const receiver = await receiverFor(t, (response) => response.writeHead(status).end());
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'dead');
  status = 200;
  const deliveryId = idOf(id, webhook.id);
  const { delivery } = await ask('deliveries.retry', { deliveryId }, 'once');
  t.like(delivery, { id: deliveryId, status: 'pending', reason: null });
  await ask('deliveries.retry', { deliveryId }, 'once');
  await eventually(
    async () => (await running.delivery(id, webhook))?.status === 'delivered',
    patient,
  );
  t.is(
    receiver.hits.length,
    3,
    'an Idempotency-Key keeps the repeated wish from being a second one',
  );
  await ask('deliveries.retry', { deliveryId });
  await eventually(() => receiver.hits.length === 4, patient);
  const row = await eventually(async () => {
    const found = await running.delivery(id, webhook);
    return found?.status === 'delivered' && found.attempts.length === 4 && found;
  });
  t.deepEqual(
    row.attempts.map(({ trigger }) => trigger),
    ['event', 'retry', 'manual', 'manual'],
  );
  webhook.disabledReason = 'Disabled by a user.';
  running.changed();
  await eventually(
    async () => (await codeOf(ask('deliveries.retry', { deliveryId }))) === 'conflict',
  );
  t.is(
    await codeOf(
      ask('deliveries.retry', { deliveryId: idOf(webhook.id.replace('wh_', ''), webhook.id) }),
    ),
    'not_found',
  );
});

test('sends a test of any kind, marked, signed, and once', async (t) => {
  const running = await runDispatcher(t);
  const ask = askerFor(running);
  const receiver = await receiverFor(t, (response) => response.writeHead(500).end());
  const webhook = running.addWebhook(receiver.url, { events: ['CONTACT_CREATED'] });
  const { delivery } = await ask('webhooks.test', {
    webhookId: webhook.id,
    kind: 'WORKSPACE_TEAM_MEMBER_JOINED',
  });
  const after = await eventually(async () => {
    const shown = (await ask('deliveries.get', { deliveryId: delivery.id })).delivery;
    return shown.status === 'dead' && shown;
  });
  t.regex(after.reason!, /test/);
  t.is(after.attempts[0]!.trigger, 'test');
  t.is(receiver.hits.length, 1);
  t.like(JSON.parse(receiver.hits[0]!.body), { event: 'WORKSPACE_TEAM_MEMBER_JOINED', test: true });
  t.is(
    await codeOf(
      ask('webhooks.test', {
        webhookId: encodeId('webhook', new IdClock().next()),
        kind: 'CONTACT_CREATED',
      }),
    ),
    'not_found',
  );
});

test('replays a time: counted first, in steps, resumable by another process, cancelled when asked', async (t) => {
  const running = await runDispatcher(t, { REPLAY_PER_SECOND: '4' });
  const ask = askerFor(running);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url);
  const events = await Promise.all(Array.from({ length: 10 }, () => running.publish()));
  await running.publish('CONTACT_DELETED');
  await eventually(() => receiver.hits.length === 11);
  for (const { id } of events)
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  const wish = {
    webhookId: webhook.id,
    since: '2026-01-01T00:00:00Z',
    kinds: ['CONTACT_CREATED'] as const,
  };
  const dry = await ask('replays.create', { ...wish, kinds: [...wish.kinds], dryRun: true });
  t.like(dry.replay, { id: null, total: 10, done: 0, status: 'dry_run' });
  t.is(
    (await ask('replays.create', { ...wish, kinds: [...wish.kinds], status: 'dead' })).replay
      .status,
    'completed',
  );
  const { replay } = await ask('replays.create', { ...wish, kinds: [...wish.kinds] });
  t.like(replay, { total: 10, status: 'running' });
  const second = await running.start({ REPLAY_PER_SECOND: '4' });
  const done = await eventually(async () => {
    const now = (await ask('replays.get', { replayId: replay.id! })).replay;
    return now.status === 'completed' && now;
  }, patient);
  t.is(done.done, 10);
  await eventually(() => receiver.hits.length === 21, patient);
  await second();

  const cancelled = await ask('replays.create', { ...wish, kinds: [...wish.kinds] });
  const stopped = await ask('replays.cancel', { replayId: cancelled.replay.id! });
  t.is(stopped.replay.status, 'cancelled');
  t.true(stopped.replay.done < 10);
});

test('a webhook’s hours are counted as attempts are made', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '0.05' });
  const ask = askerFor(running);
  let failures = 1;
  const receiver = await receiverFor(t, (response) =>
    response.writeHead(failures-- > 0 ? 500 : 200).end(),
  );
  const webhook = running.addWebhook(receiver.url);
  const events = await Promise.all(Array.from({ length: 5 }, () => running.publish()));
  for (const { id } of events)
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  const { hours } = await eventually(async () => {
    const { stats } = await ask('webhooks.stats', { webhookId: webhook.id });
    return stats.hours.reduce((sum, { attempts }) => sum + attempts, 0) === 6 && stats;
  });
  t.is(
    hours.reduce((sum, { failures: count }) => sum + count, 0),
    1,
  );
  t.true(hours[0]!.p50Ms! > 0 && hours[0]!.p95Ms! >= hours[0]!.p50Ms!);
});

test('quantiles of a histogram lie within their buckets', (t) => {
  t.is(quantile([], 0.5), null);
  t.is(quantile([0, 10, 0], 0.5), 1.5);
  t.is(quantile([10, 0, 10], 0.95), 2.9);
});
