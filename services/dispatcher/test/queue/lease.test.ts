import { randomUUID } from 'node:crypto';
import type { Database } from '@roster/storage';
import test from 'ava';
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
