import type { Database, Statement } from '@roster/storage';
import { eventually } from '@roster/testing';
import test from 'ava';
import type { Delivery, Outcome } from '../../delivery/delivery.js';
import { Recorder } from '../../delivery/recorder.js';
import { Partitions } from '../../queue/partitions.js';
import { recordOutcomes } from '../../queue/record-outcomes.js';
import { idAt } from '../id-at.js';
import { withLeasedDeliveries } from '../queue/queued-deliveries.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

const dayMs = 86_400_000;

const recorderOf = (database: Database, partitions: Partitions) =>
  new Recorder({
    write: (outcomes) => recordOutcomes(database, partitions, outcomes),
    count: async () => undefined,
    log: { warn: () => undefined },
  });

/** Takes all five connections of a test's pool until `release` is called. */
function holdPool(database: Database) {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = database.transaction(async ({ em }) => {
    await em.execute('select pg_advisory_xact_lock(1)');
    held.resolve();
    await released.promise;
  });
  const wait: Statement = {
    name: 'test.wait',
    text: `
      select pg_advisory_xact_lock_shared(1)
      from (select set_config('lock_timeout', '0', true) offset 0) as unlimited`,
    plan: 'any',
  };
  const waiting = held.promise.then(() =>
    Promise.all(Array.from({ length: 4 }, () => database.query(wait, []))),
  );
  const release = async () => {
    released.resolve();
    await Promise.all([holding, waiting]);
  };
  return { held: held.promise, release };
}

async function statuses(database: Database): Promise<string[]> {
  const text = 'select status from dispatcher.deliveries order by id';
  const rows = await database.query<{ status: string }>({ name: 'test.statuses', text }, []);
  return rows.map(({ status }) => status);
}

test('an outcome that PostgreSQL rejects does not fail the others of its batch', async (t) => {
  const { database, partitions, deliveries } = await withLeasedDeliveries(t, 5, 60);
  const recorder = recorderOf(database, partitions);
  const results = await Promise.allSettled(
    deliveries.map((delivery, n) =>
      recorder.record({ delivery, status: (n === 2 ? 'invalid' : 'delivered') as 'delivered' }),
    ),
  );
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  t.deepEqual(await statuses(database), [
    ...['delivered', 'delivered', 'pending', 'delivered', 'delivered'],
  ]);
  t.false(recorder.failing);
});

test('a batch ends at the outcome with which its bodies are too large', async (t) => {
  const batches: number[] = [];
  const recorder = new Recorder({
    write: async (outcomes) => void batches.push(outcomes.length),
    count: async () => undefined,
    log: { warn: () => undefined },
  });
  const id = idAt(Date.now());
  const delivery: Delivery = {
    ...{ workspaceId: id, webhookId: id, id, eventId: id, attempts: 0, trigger: 'event' },
    ...{ kind: 'CONTACT_CREATED', body: '{}', ownBody: 'x'.repeat(60_000) },
  };
  await Promise.all(
    Array.from({ length: 150 }, () => recorder.record({ delivery, status: 'delivered' })),
  );
  t.deepEqual(batches, [70, 70, 10]);
});

test('an outcome is recorded although another process dropped the partition of its day', async (t) => {
  const { database, workspaceId, webhookId } = await withLeasedDeliveries(t, 0, 60);
  const [own, other] = [new Partitions(database, 1), new Partitions(database, 1)];
  const recorder = recorderOf(database, own);
  const record = (ageDays: number) => {
    const id = idAt(Date.now() - ageDays * dayMs);
    const delivery: Delivery = {
      ...{ workspaceId, webhookId, id, eventId: id, attempts: 0, trigger: 'event' },
      ...{ kind: 'CONTACT_CREATED', body: '{}' },
    };
    return recorder.record({ delivery, status: 'delivered' });
  };
  await record(3);
  await other.drop();
  t.deepEqual(await statuses(database), []);
  await t.notThrowsAsync(Promise.all([record(3), record(0), record(3)]));
  t.deepEqual(await statuses(database), ['delivered', 'delivered', 'delivered']);
});

test('an attempt that could not be recorded is not made again: its outcome is recorded when the event comes again', async (t) => {
  const running = await runDispatcher(t);
  const { database } = running;
  let hold: ReturnType<typeof holdPool> | undefined;
  const receiver = await receiverFor(t, (response) => {
    // As on an overloaded machine: no connection of the pool is free until the event was delivered again.
    hold ??= holdPool(database);
    void hold.held.then(() => response.end());
  });
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  const manager = await running.bus.link.nats.jetstreamManager();
  await eventually(
    async () => (await manager.consumers.info('EVENTS', 'dispatcher')).num_redelivered > 0,
  );
  await hold!.release();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  t.is(receiver.hits.length, 1);
  t.is((await running.delivery(id, webhook))!.attempts.length, 1);
});

test('an attempt of a queued delivery that could not be recorded is not made again after its lease', async (t) => {
  const running = await runDispatcher(t, { LEASE_SECONDS: '1' });
  const rename = (from: string, to: string) =>
    running.database.em.execute(`alter table dispatcher.deliveries rename ${from} to ${to}`);
  const receiver = await receiverFor(t, (response) => {
    const attempt = receiver.hits.length;
    // Outcomes write this column, and claims do not read it.
    const hidden = attempt === 2 ? rename('completed_at', 'away') : Promise.resolve();
    void hidden.then(() => response.writeHead(attempt === 1 ? 500 : 200).end());
  });
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  const text = 'select lease::text from dispatcher.queue where attempts = 1 and lease is not null';
  const leases = new Set<string>();
  await eventually(async () => {
    const rows = await running.database.query<{ lease: string }>({ name: 'test.lease', text }, []);
    for (const { lease } of rows) leases.add(lease);
    return leases.size > 1;
  });
  await rename('away', 'completed_at');
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  t.is(receiver.hits.length, 2);
  t.is((await running.delivery(id, webhook))!.attempts.length, 2);
});

test('an unrecorded outcome of an earlier attempt is not recorded for a manual retry', async (t) => {
  const { database, partitions, deliveries } = await withLeasedDeliveries(t, 1, 60);
  const recorder = recorderOf(database, partitions);
  const [delivery] = deliveries as [Delivery];
  const attempt = { startedAt: new Date().toISOString(), totalMs: 1, error: null };
  const outcome = { delivery, status: 'invalid', attempt } as unknown as Outcome;
  await t.throwsAsync(recorder.record(outcome));
  t.is(recorder.unrecordedOutcome({ ...delivery, trigger: 'manual' }), undefined);
  t.is(recorder.unrecordedOutcome(delivery), undefined, 'it is dropped');
  await t.throwsAsync(recorder.record(outcome));
  const lease = 'other';
  t.like(recorder.unrecordedOutcome({ ...delivery, lease }), { attempt, delivery: { lease } });
});

/** Deliveries of events, with the outcome of an attempt. */
const attempted = (count: number) =>
  Array.from({ length: count }, (_, n) => {
    const id = idAt(Date.now() + n);
    const delivery: Delivery = {
      ...{ workspaceId: id, webhookId: id, id, eventId: id, attempts: 0, trigger: 'event' },
      ...{ kind: 'CONTACT_CREATED', body: '{}' },
    };
    const attempt = { startedAt: new Date().toISOString(), totalMs: 1, error: null };
    return { delivery, status: 'delivered', attempt } as unknown as Outcome;
  });

test('while outcomes can be neither recorded nor kept, further deliveries wait, except one as a probe', async (t) => {
  let isFull = true;
  const recorder = new Recorder({
    write: async () => {
      if (isFull) throw new Error('No space left on device');
    },
    count: async () => undefined,
    log: { warn: () => undefined },
  });
  const [kept, [first, next]] = [attempted(512), attempted(2) as [Outcome, Outcome]];
  const record = (outcomes: Outcome[]) =>
    Promise.allSettled(outcomes.map((outcome) => recorder.record(outcome)));
  await record(kept.slice(1));
  t.false(recorder.shouldWait([first.delivery]));
  await record(kept.slice(0, 1));
  t.false(recorder.shouldWait([first.delivery]));
  t.true(recorder.shouldWait([next.delivery]));
  t.true(recorder.shouldWait([kept[0]!.delivery, next.delivery]));
  t.false(recorder.shouldWait([kept[0]!.delivery]));
  isFull = false;
  await record([recorder.unrecordedOutcome(kept[0]!.delivery)!]);
  t.false(recorder.shouldWait([next.delivery]));
});
