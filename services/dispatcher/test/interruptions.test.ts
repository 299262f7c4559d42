import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor, runDispatcher, type RunningDispatcher } from './running-dispatcher.js';

const patient = { timeoutMs: 20_000 };

interface Counts {
  all: number;
  delivered: number;
  waiting: number;
}

async function counts({ database }: RunningDispatcher): Promise<Counts> {
  const [row] = await database.query<Counts>(
    {
      name: 'test.counts',
      text: `select count(*)::int as all, (count(*) filter (where status = 'delivered'))::int as delivered,
        (select count(*) from dispatcher.queue)::int as waiting from dispatcher.deliveries`,
    },
    [],
  );
  return row!;
}

/** Deliveries that some process holds a lease of. */
async function leased({ database }: RunningDispatcher): Promise<number> {
  const text = 'select count(*)::int as count from dispatcher.queue where lease is not null';
  const [row] = await database.query<{ count: number }>({ name: 'test.leased', text }, []);
  return row!.count;
}

test('a break of NATS delays nothing by a lease: what waits in the queue is tried soon after it', async (t) => {
  const running = await runDispatcher(t, { ATTEMPTS_MAX: '4', ATTEMPTS_PER_WEBHOOK_MAX: '4' });
  const receiver = await receiverFor(t, (response) => void setTimeout(() => response.end(), 20));
  running.addWebhook(receiver.url);
  for (let n = 0; n < 60; n += 1) await running.publish();
  await eventually(() => receiver.hits.length > 5);
  running.nats.kill('SIGKILL');
  await running.nats.restart();
  await eventually(() => running.bus.link.up);
  await eventually(async () => (await counts(running)).delivered === 60, patient);
  t.is(new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size, 60);
});

test('tries what a dead process left behind, once its lease has ended', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = await receiverFor(t, (response) => {
    response.statusCode = receiver.hits.length === 1 ? 500 : 200;
    response.end();
  });
  running.addWebhook(receiver.url);
  await running.publish();
  await eventually(async () => (await counts(running)).waiting === 1);
  await running.database.em.execute(
    `update dispatcher.queue set lease = gen_random_uuid(), due_at = now() + interval '1 second'`,
  );
  await eventually(async () => (await counts(running)).delivered === 1);
  t.is(receiver.hits.length, 2);
  t.is((await counts(running)).waiting, 0);
});

test('claims no more of a hanging receiver’s deliveries than it can try at once', async (t) => {
  const running = await runDispatcher(t, {
    ATTEMPTS_MAX: '8',
    ATTEMPTS_PER_WEBHOOK_MAX: '2',
    ATTEMPT_TIMEOUT_MS: '3000',
  });
  const receiver = await receiverFor(t, () => undefined);
  running.addWebhook(receiver.url);
  for (let n = 0; n < 100; n += 1) await running.publish();
  await eventually(async () => (await counts(running)).waiting >= 98);
  let most = 0;
  const until = performance.now() + 1000;
  await eventually(async () => {
    most = Math.max(most, await leased(running));
    return performance.now() > until;
  });
  t.true(most > 0 && most <= 2, `${most} claimed at once`);
});
