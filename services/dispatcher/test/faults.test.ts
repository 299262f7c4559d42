import { encodeId, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { deliveryId } from '../delivery/delivery.js';
import { Partitions } from '../queue/partitions.js';
import { idAt } from './id-at.js';
import { receiverFor } from './receiver.js';
import { runDispatcher, type RunningDispatcher } from './running-dispatcher.js';

const queued = async ({ database }: RunningDispatcher) =>
  await database.query<{ delivery_id: string; lease: string | null; attempts: number }>(
    { name: 'test.queue', text: 'select delivery_id, lease, attempts from dispatcher.queue' },
    [],
  );

test('a redelivered event whose delivery is recorded is not sent again', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  // As after a stream lost its end, and its duplicate window.
  const manager = await running.bus.link.nats.jetstreamManager();
  await manager.streams.purge('EVENTS');
  await manager.streams.delete('EVENTS');
  await running.bus.openEvents({ replicas: 1, maxAgeSeconds: 3600 });
  await running.publish('CONTACT_CREATED', { id, republished: true });
  const last = await running.publish();
  await eventually(async () => (await running.delivery(last.id, webhook))?.status === 'delivered', {
    timeoutMs: 20_000,
  });
  t.deepEqual(
    receiver.hits.map((hit) => hit.headers['webhook-id']),
    [id, last.id].map((event) =>
      encodeId('delivery', deliveryId(event, uuidOf('webhook', webhook.id))),
    ),
  );
});

test('a delivery that a stopped process sent and could not record is sent again with the same id', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url);
  // The outcome cannot be recorded, as if the process dies in between.
  await running.database.query(
    { name: 'test.hide', text: 'alter table dispatcher.queue rename to hidden' },
    [],
  );
  const { id } = await running.publish();
  await eventually(() => receiver.hits.length === 1);
  await running.stopAll();
  await running.database.query(
    { name: 'test.show', text: 'alter table dispatcher.hidden rename to queue' },
    [],
  );
  await running.start();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered', {
    timeoutMs: 20_000,
  });
  t.is(receiver.hits.length, 2);
  t.is(new Set(receiver.hits.map((hit) => hit.headers['webhook-id'])).size, 1);
});

test('continues after NATS was killed and restarted', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url);
  const before = await running.publish();
  await eventually(
    async () => (await running.delivery(before.id, webhook))?.status === 'delivered',
  );
  running.nats.kill('SIGKILL');
  await eventually(() => !running.bus.link.up);
  await running.nats.restart();
  await eventually(() => running.bus.link.up, { timeoutMs: 20_000 });
  const after = await running.publish();
  await eventually(
    async () => (await running.delivery(after.id, webhook))?.status === 'delivered',
    { timeoutMs: 30_000 },
  );
  t.is(receiver.hits.length, 2);
});

test('a hanging receiver does not delay another', async (t) => {
  const running = await runDispatcher(t, {
    ATTEMPT_TIMEOUT_MS: '60000',
    ATTEMPTS_PER_WEBHOOK_MAX: '4',
    ATTEMPTS_MAX: '16',
  });
  const hanging = await receiverFor(t, () => undefined);
  const healthy = await receiverFor(t);
  running.addWebhook(hanging.url);
  const good = running.addWebhook(healthy.url);
  const events = await Promise.all(Array.from({ length: 60 }, () => running.publish()));
  await eventually(() => healthy.hits.length >= events.length, { timeoutMs: 20_000 });
  for (const { id } of events.slice(-3)) {
    await eventually(async () => (await running.delivery(id, good))?.status === 'delivered');
  }
  t.true(
    hanging.hits.length <= 4,
    `${hanging.hits.length} attempts hang, fresh and from the queue together`,
  );
  // Ends the attempts that hang, so that the dispatcher can stop.
  running.webhooks.length = 0;
});

test('two dispatchers share the deliveries, and send none twice while nothing fails', async (t) => {
  const running = await runDispatcher(t);
  await running.start();
  let failures = 50;
  const receiver = await receiverFor(t, (response) =>
    response.writeHead(failures-- > 0 ? 500 : 200).end(),
  );
  const webhook = running.addWebhook(receiver.url);
  const events = await Promise.all(Array.from({ length: 100 }, () => running.publish()));
  for (const { id } of events) {
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered', {
      timeoutMs: 20_000,
    });
  }
  const rows = await Promise.all(events.map(({ id }) => running.delivery(id, webhook)));
  t.is(rows.flatMap((row) => row!.attempts).length, receiver.hits.length);
  t.deepEqual(await queued(running), []);
});

test('an outcome after the end of its lease does not overwrite that of the next holder', async (t) => {
  const running = await runDispatcher(t, {
    RETRY_SCHEDULE_SECONDS: '0.05,3600',
    ATTEMPT_TIMEOUT_MS: '30000',
  });
  const answers: (() => void)[] = [];
  const receiver = await receiverFor(t, (response) => {
    if (receiver.hits.length === 1) response.writeHead(500).end();
    // The second attempt hangs.
    else if (receiver.hits.length === 2) answers.push(() => response.writeHead(500).end('late'));
    else response.end();
  });
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  await eventually(() => answers.length === 1);
  // As if its process had not run for longer than the lease, and another one had claimed it.
  const { database } = running;
  await database.em.execute(
    `update dispatcher.queue set lease = gen_random_uuid(), due_at = now() + interval '1 hour'`,
  );
  const held = () => database.em.execute<object[]>('select lease, due_at from dispatcher.queue');
  const before = await held();
  answers[0]!();
  // Its outcome is recorded after that of the attempt before.
  const other = await running.publish();
  await eventually(async () => (await running.delivery(other.id, webhook))?.status === 'delivered');
  const row = await running.delivery(id, webhook);
  t.is(row!.status, 'pending');
  t.deepEqual(
    row!.attempts.map(({ responseBody }) => responseBody),
    [''],
  );
  t.deepEqual(await held(), before);
});

test('a look-up of webhooks that was in flight when they changed is not cached', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const first = running.addWebhook(receiver.url);
  const before = await running.publish();
  await eventually(async () => (await running.delivery(before.id, first))?.status === 'delivered');
  const second = running.addWebhook(receiver.url);
  const after = await running.publish();
  await eventually(async () => (await running.delivery(after.id, second))?.status === 'delivered');
  t.is(await running.delivery(before.id, second), undefined);
});

test('drops the partitions of a past day, and creates those of the next days', async (t) => {
  // The dispatcher itself does not drop the day.
  const running = await runDispatcher(t, { RETENTION_DAYS: '60' });
  const receiver = await receiverFor(t);
  const at = Date.now() - 40 * 86_400_000;
  const webhook = running.addWebhook(receiver.url, { id: encodeId('webhook', idAt(at)) });
  const partitions = async () =>
    (
      await running.database.query<{ name: string }>(
        {
          name: 'test.partitions',
          text: `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'dispatcher.deliveries'::regclass order by 1`,
        },
        [],
      )
    ).map(({ name }) => name);
  const today = await partitions();
  t.true(today.length >= 4);
  // An event that is 40 days old.
  const old = idAt(at);
  await running.publish('CONTACT_CREATED', { id: old });
  await eventually(async () => (await running.delivery(old, webhook))?.status === 'delivered');
  t.is((await partitions()).length, today.length + 1);
  await new Partitions(running.database, 30).drop();
  t.deepEqual(await partitions(), today);
});

test('records the events of a day that a dispatcher with a shorter retention drops', async (t) => {
  const running = await runDispatcher(t, { RETENTION_DAYS: '60' });
  const receiver = await receiverFor(t);
  const at = Date.now() - 40 * 86_400_000;
  const webhook = running.addWebhook(receiver.url, { id: encodeId('webhook', idAt(at)) });
  const other = new Partitions(running.database, 30);
  for (const id of [idAt(at), idAt(at + 1), idAt(at + 2)]) {
    await running.publish('CONTACT_CREATED', { id });
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
    await other.drop();
    t.is(await running.delivery(id, webhook), undefined);
  }
});
