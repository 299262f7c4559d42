import type { Database } from '@roster/storage';
import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { insertDue } from './queued-deliveries.js';

const patient = { timeoutMs: 60_000 };
/** More than three portions. */
const waiting = Number(process.env['WAITING_DELIVERIES'] ?? 3500);

test('disabling a webhook writes each of its waiting deliveries about once, and enabling resumes them', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '3600' });
  const { database, workspace } = running;
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url, { disabledReason: 'Disabled by a user.' });
  await database.em.execute(`
    create sequence updates;
    create function count_update() returns trigger language plpgsql as
      $$ begin perform nextval('updates'); return new; end $$;
    create trigger count_update before update on dispatcher.queue for each row execute function count_update()`);
  await insertDue(database, workspace.id, webhook, waiting);
  const started = performance.now();
  await eventually(async () => (await parked(database)) === waiting, patient);
  t.log(`parked in ${Math.round(performance.now() - started)} ms`);
  const [row] = await database.query<{ count: number }>(
    { name: 'test.updates', text: 'select last_value::int as count from updates' },
    [],
  );
  t.log(`${row!.count} updates of ${waiting} rows`);
  // Deliveries that were claimed before they were parked are written twice.
  t.true(row!.count < waiting + 300, `${row!.count} updates`);
  t.is(receiver.hits.length, 0);

  webhook.disabledReason = null;
  running.changed();
  const enabled = performance.now();
  await eventually(async () => (await parked(database)) === 0, patient);
  t.log(`unparked in ${Math.round(performance.now() - enabled)} ms`);
  await eventually(() => receiver.hits.length > 0);
  running.webhooks.length = 0;
  running.changed();
});

async function parked(database: Database): Promise<number> {
  const text = `select count(*)::int as count from dispatcher.queue where due_at = 'infinity'`;
  const rows = await database.query<{ count: number }>({ name: 'test.parked', text }, []);
  return rows[0]!.count;
}
