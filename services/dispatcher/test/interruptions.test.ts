import { uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from './receiver.js';
import { runDispatcher, type RunningDispatcher } from './running-dispatcher.js';

// Serial: eight dispatchers at once, each with its NATS server, delay each other by tens of seconds on a loaded machine.
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

/** Whether an event was delivered again because it could not be handled. */
async function isRedelivered({ bus }: RunningDispatcher): Promise<boolean> {
  const manager = await bus.link.nats.jetstreamManager();
  return (await manager.consumers.info('EVENTS', 'dispatcher')).num_redelivered > 0;
}

/** Number of leased deliveries. */
async function leased({ database }: RunningDispatcher): Promise<number> {
  const text = 'select count(*)::int as count from dispatcher.queue where lease is not null';
  const [row] = await database.query<{ count: number }>({ name: 'test.leased', text }, []);
  return row!.count;
}

test.serial(
  'a disconnection from NATS delays no queued delivery until the end of a lease',
  async (t) => {
    const slots = { ATTEMPTS_MAX: '4', ATTEMPTS_PER_WEBHOOK_MAX: '4' };
    const running = await runDispatcher(t, { ...slots, LEASE_SECONDS: '3600' });
    const receiver = await receiverFor(t, (response) => void setTimeout(() => response.end(), 20));
    running.addWebhook(receiver.url);
    for (let n = 0; n < 60; n += 1) await running.publish();
    await eventually(() => receiver.hits.length > 5);
    running.nats.kill('SIGKILL');
    await running.nats.restart();
    await eventually(() => running.bus.link.up);
    // Much shorter than the lease, and long enough for a loaded machine.
    const all = { timeoutMs: 60_000, describe: 'all deliveries' };
    await eventually(async () => (await counts(running)).delivered === 60, all);
    t.is(new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size, 60);
  },
);

test.serial('attempts the deliveries of a dead process once their lease has ended', async (t) => {
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

test.serial(
  'claims no more deliveries of a hanging receiver than it can attempt at once',
  async (t) => {
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
    // The first attempts are of fresh deliveries. Retries have their slots later.
    await eventually(async () => {
      most = Math.max(most, await leased(running));
      return most > 0 && performance.now() > until;
    }, patient);
    t.true(most <= 2, `${most} claimed at once`);
  },
);

test.serial(
  'an event is not redelivered while one of its deliveries is in flight, though another could not be recorded',
  async (t) => {
    const running = await runDispatcher(t);
    const slow = await receiverFor(t, (response) => void setTimeout(() => response.end(), 2500));
    const quick = await receiverFor(t);
    running.addWebhook(slow.url);
    const { id } = running.addWebhook(quick.url);
    const run = (text: string) => running.database.em.execute(text);
    await run(`create function refuse() returns trigger language plpgsql as $$ begin
    if new.webhook_id = '${uuidOf('webhook', id)}' then raise exception 'not now'; end if; return new;
  end $$`);
    await run(`create trigger refuse before insert on dispatcher.deliveries
    for each row execute function refuse()`);
    await running.publish();
    await eventually(() => quick.hits.length === 1);
    await eventually(() => isRedelivered(running), patient);
    // Dropping the trigger would lock the tables in another order than the dispatcher does.
    await run(
      `create or replace function refuse() returns trigger language plpgsql as $$ begin return new; end $$`,
    );
    await eventually(async () => (await counts(running)).delivered === 2, patient);
    t.is(slow.hits.length, 1);
  },
);

test.serial('an event that PostgreSQL cannot store is dropped, and no other event', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  running.addWebhook(receiver.url);
  const { outside: workspaceId } = running.workspace;
  const kind = 'CONTACT_CREATED';
  const id = 'evt_01m7yreg5ye008a425hbhr606j';
  const sent = [running.publish(), running.publish()];
  await running.publisher.publish({ id, workspaceId, kind, body: '{"a":"\0"}' });
  await Promise.all([...sent, running.publish()]);
  await eventually(async () => (await counts(running)).delivered === 3);
  await eventually(async () => {
    const manager = await running.bus.link.nats.jetstreamManager();
    const { num_ack_pending: open } = await manager.consumers.info('EVENTS', 'dispatcher');
    return open === 0;
  });
  t.is(receiver.hits.length, 3);
});

test.serial('sends an event at most once while nothing can be recorded', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  running.addWebhook(receiver.url);
  await running.publish();
  await eventually(async () => (await counts(running)).delivered === 1);
  const run = (text: string) => running.database.em.execute(text);
  await run('alter table dispatcher.deliveries rename to away');
  const events = [await running.publish()];
  await eventually(() => receiver.hits.length === 2);
  // After the first failure, when its event is delivered again, nothing is sent.
  await eventually(() => isRedelivered(running));
  while (events.length < 30) events.push(await running.publish());
  t.is(receiver.hits.length, 2);
  await run('alter table dispatcher.away rename to deliveries');
  await eventually(async () => (await counts(running)).delivered === 31, patient);
  t.is(receiver.hits.length, 31);
  t.is(new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size, 31);
});

test.serial(
  'stops long before attempts at hanging receivers time out, and their deliveries are due at once',
  async (t) => {
    const attemptMs = 60_000;
    const running = await runDispatcher(t, { ATTEMPT_TIMEOUT_MS: String(attemptMs) });
    const env = { ATTEMPT_TIMEOUT_MS: String(attemptMs), RETRY_SCHEDULE_SECONDS: '0.05' };
    const receiver = await receiverFor(t, (response) => {
      // The first attempt, of a fresh delivery, fails; the second, from the queue, hangs.
      if (receiver.hits.length === 1) response.writeHead(500).end();
      else if (receiver.hits.length > 3) response.end();
    });
    running.addWebhook(receiver.url);
    await running.publish();
    await eventually(() => receiver.hits.length === 2);
    await running.publish();
    await eventually(() => receiver.hits.length === 3);
    const started = performance.now();
    await running.stopAll();
    t.true(performance.now() - started < attemptMs / 2, 'waits for no attempt to time out');
    t.is(await leased(running), 0);
    await running.start(env);
    await eventually(async () => (await counts(running)).delivered === 2, patient);
  },
);

test.serial(
  'records a 410 although the webhook cannot be disabled at the moment; the next event disables it',
  async (t) => {
    const running = await runDispatcher(t);
    const receiver = await receiverFor(t, (response) => response.writeHead(410).end());
    const webhook = running.addWebhook(receiver.url);
    const { disabled } = running;
    let refusals = 0;
    disabled.push = () => {
      refusals += 1;
      throw new Error('not now');
    };
    const { id } = await running.publish();
    const delivery = await eventually(() => running.delivery(id, webhook));
    t.like(delivery, { status: 'dead', reason: 'The receiver answered 410 Gone.' });
    t.is(delivery.attempts.length, 1);
    t.true(refusals > 0);
    delete (disabled as { push?: unknown }).push;
    await running.publish();
    await eventually(() => disabled.length === 1);
    t.is(receiver.hits.length, 2);
  },
);
