import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import type { Call } from '@roster/bus';
import { encodeId, Fault, type InputOf, type Operations } from '@roster/contracts';
import type { Database } from '@roster/storage';
import { callAs } from '@roster/testing';
import test from 'ava';
import { endOfIds, momentId, type Delivery } from '../../delivery/delivery.js';
import { Recorder } from '../../delivery/recorder.js';
import { retryDelivery } from '../../operations/retry-delivery.js';
import { enqueueReplay, forgetQueued, requeue } from '../../queue/queue-table.js';
import { Queue } from '../../queue/queue.js';
import { recordOutcomes } from '../../queue/record-outcomes.js';
import type { DispatcherService } from '../../service.js';
import { withLeasedDeliveries } from './queued-deliveries.js';

type RetryDelivery = Operations['deliveries.retry'];

/** Each update holds its row lock for a moment, so that conflicts of locks are frequent. */
const slowDown = (database: Database) =>
  database.em.execute(`
    create function slowDown() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.005); return coalesce(new, old); end $$;
    create trigger slowDown before update on dispatcher.deliveries for each row execute function slowDown();
    create trigger slowDown before update or delete on dispatcher.queue for each row execute function slowDown()`);

/** Number of deliveries whose status does not correspond to the queue. */
async function inconsistent(database: Database): Promise<number> {
  const text = `
    select count(*)::int as count from dispatcher.deliveries d
      full join dispatcher.queue q on q.workspace_id = d.workspace_id and q.delivery_id = d.id
    where (d.status = 'pending') is distinct from (q.delivery_id is not null)`;
  return (await database.query<{ count: number }>({ name: 'test.count', text }, []))[0]!.count;
}

test('neither manual retries nor concurrent records of outcomes of the same deliveries fail', async (t) => {
  const { database, partitions, workspaceId, deliveries } = await withLeasedDeliveries(t, 60, 60);
  await slowDown(database);
  const recorder = new Recorder({
    write: (outcomes) => recordOutcomes(database, partitions, outcomes),
    count: async () => undefined,
    log: { warn: (line: unknown) => t.fail(JSON.stringify(line)) },
  });
  const subscriptions = { one: async () => ({ disabledReason: null }) };
  const queue = { due: () => undefined };
  const activity = { queuedAgain: () => undefined };
  const retry = retryDelivery({ subscriptions, queue, activity } as unknown as DispatcherService);
  const callFor = ({ id }: Delivery): Call<InputOf<RetryDelivery>> => ({
    ...callAs({ workspaceId: encodeId('workspace', workspaceId) }),
    input: { deliveryId: encodeId('delivery', id) },
  });
  const recorded = deliveries.map((delivery) => recorder.record({ delivery, status: 'delivered' }));
  const retried = deliveries.map((delivery) => retry([callFor(delivery)], database));
  await t.notThrowsAsync(Promise.all(recorded));
  const answers = (await Promise.all(retried)).flat();
  t.deepEqual(
    answers.filter((answer) => answer instanceof Fault),
    [],
  );
  t.is(await inconsistent(database), 0);
});

test('the statements on the queue table do not deadlock', async (t) => {
  // After its lease, a row can also be claimed, parked and retried.
  const { database, partitions, workspaceId, webhookId, deliveries } = await withLeasedDeliveries(
    t,
    40,
    0,
  );
  await slowDown(database);
  const queue = new Queue(database);
  const range = [momentId(0), momentId(0), endOfIds];
  const claim = () =>
    queue.claim({
      ...{ lease: randomUUID(), leaseSeconds: 0, rowsMax: 20, rowsPerWebhookMax: 20 },
      ...{ without: [], single: [], workspaces: [], roomOfOthers: 20 },
    });
  const backwards = deliveries.toReversed();
  const record = (all: Delivery[], status: 'delivered' | 'pending') =>
    recordOutcomes(
      database,
      partitions,
      all.map((delivery) => ({ delivery, status, dueInSeconds: 60 })),
    );
  await t.notThrowsAsync(
    Promise.all([
      record(deliveries.slice(0, 20), 'delivered'),
      record(backwards.slice(0, 30), 'pending'),
      ...[1, 2].flatMap(() => [
        queue.park(workspaceId, webhookId),
        queue.unpark(workspaceId, webhookId),
        queue.resume(workspaceId, webhookId),
        database.query(enqueueReplay, [workspaceId, webhookId, ...range, null, null, 40]),
        database.query(forgetQueued, [momentId(0), 100]),
        claim(),
        queue.renew(backwards, 0),
      ]),
      ...backwards.map(({ id }) => database.query(requeue, [workspaceId, id])),
    ]),
  );
  t.is(await inconsistent(database), 0);
});

test('every statement that locks rows of the queue table is in one of the two files whose lock order is documented', (t) => {
  const cwd = new URL('../../../', import.meta.url);
  const files = globSync('**/*.ts', {
    cwd,
    exclude: ['dist', 'node_modules', 'test', 'migrations'],
  });
  const naming = (text: RegExp) =>
    files.filter((file) => text.test(readFileSync(new URL(file, cwd), 'utf8')));
  t.deepEqual(naming(/(from|join|into|update|table)\s+dispatcher\.queue\b/), [
    'queue/queue-moves.ts',
    'queue/queue-table.ts',
    'queue/queued-webhooks.ts',
  ]);
  const locks = /for update|for share|update|delete|insert/i;
  t.false(naming(locks).includes('queue/queued-webhooks.ts'), 'it only reads');
  t.deepEqual(naming(/\(QueuedDelivery\b/), ['operations/test-webhook.ts']);
});
