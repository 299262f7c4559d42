import { randomUUID } from 'node:crypto';
import { openLog } from '@roster/process';
import type { Database } from '@roster/storage';
import test from 'ava';
import type { Delivery } from '../../delivery/delivery.js';
import { Leases } from '../../queue/leases.js';
import { requeue } from '../../queue/queue-table.js';
import { recordOutcomes } from '../../queue/record-outcomes.js';
import { withLeasedDeliveries } from './queued-deliveries.js';

/** The status of the only delivery, and the lease of its queue row. */
async function stored(database: Database) {
  const text = `
    select d.status, q.lease from dispatcher.deliveries d
      left join dispatcher.queue q on q.workspace_id = d.workspace_id and q.delivery_id = d.id`;
  const rows = await database.query<object>({ name: 'test.stored', text }, []);
  return rows[0];
}

test('an outcome is recorded only by the holder of the lease', async (t) => {
  const { database, partitions, deliveries } = await withLeasedDeliveries(t, 1, 60);
  const delivery = deliveries[0]!;
  const late = { ...delivery, lease: randomUUID() };
  for (const outcome of [
    { delivery: late, status: 'delivered' as const },
    { delivery: late, status: 'pending' as const, dueInSeconds: 3600 },
  ]) {
    await recordOutcomes(database, partitions, [outcome]);
    t.deepEqual(await stored(database), { status: 'pending', lease: delivery.lease });
  }
  await recordOutcomes(database, partitions, [{ delivery, status: 'delivered' }]);
  t.deepEqual(await stored(database), { status: 'delivered', lease: null });
});

test('the late outcome of an attempt whose lease has ended does not replace a manual retry', async (t) => {
  const { database, partitions, deliveries } = await withLeasedDeliveries(t, 1, 0);
  const delivery = deliveries[0]!;
  await database.query(requeue, [delivery.workspaceId, delivery.id]);
  await recordOutcomes(database, partitions, [{ delivery, status: 'delivered' }]);
  t.deepEqual(await stored(database), { status: 'pending', lease: null });
});

test('a delivery that its own process claims again during the attempt is attempted once, under the new lease', (t) => {
  const queue = { renew: async () => undefined };
  const leases = new Leases({ queue, leaseSeconds: 60, log: openLog('test', 'silent') });
  t.teardown(() => leases.close());
  const held: Delivery = {
    ...{ workspaceId: 'w', webhookId: 'h', id: 'd', eventId: 'e', lease: 'first' },
    ...{ kind: 'CONTACT_CREATED', body: '{}', attempts: 1, trigger: 'retry' },
  };
  leases.hold(held);
  t.true(leases.takeOver({ ...held, lease: 'second' }));
  t.is(held.lease, 'second');
  t.false(leases.takeOver({ ...held, trigger: 'manual' }), 'a manual retry is another attempt');
  t.false(leases.takeOver({ ...held, attempts: 2 }), 'another process has recorded an attempt');
  leases.drop(held);
  t.false(leases.takeOver(held));
});
