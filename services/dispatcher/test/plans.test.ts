import { countedDeliveriesMax } from '@roster/contracts';
import { IdClock } from '@roster/process';
import type { Session } from '@roster/storage';
import { entriesReadAfterImport } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { readMax } from '../operations/delivery-pages.js';
import { eventsMax } from '../operations/erase-contact.js';
import { Partitions } from '../queue/partitions.js';
import { schema } from '../service.js';
import { dispatcherDatabase } from './dispatcher-database.js';
import { insertQueued } from './queue/queued-deliveries.js';
import { batchCalls, idsOfWorkspace, tasksOf, type Own } from './tasks.js';

const importedRows = 20_000;
/** An erasure reads a bounded number of events per call. So does a list with a filter of deliveries, and so do its totals. */
const entriesMax = (task: string) =>
  batchCalls *
  (task.includes('totals')
    ? 1.2 * countedDeliveriesMax.plain
    : task.includes('"kind"')
      ? 1.2 * readMax
      : task.startsWith('dispatcher.erase-contact')
        ? 1.2 * eventsMax
        : 40);
const day = 86_400_000;
const ids = new IdClock();

for (const [statistics, workspaces, analyzed] of [
  ['none', 1, false],
  ['one delivery', 1, true],
  ['many workspaces with one delivery each', 60, true],
] as const)
  for (const owner of ['the webhook itself', 'another webhook of its workspace'])
    test(`deliveries of ${owner}, of which the statistics know nothing (${statistics}), leave statements reading no more than their own rows`, async (t) => {
      await inTransaction(t, async (session, partitions) => {
        const all = Array.from({ length: workspaces }, () => idsOfWorkspace());
        for (const each of all)
          await insertDeliveries(session, each, each.webhookId, [each.deliveryId]);
        const [own] = all;
        const target = owner === 'the webhook itself' ? own!.webhookId : ids.next();
        const imported = Array.from({ length: importedRows }, () => ids.next());
        const read = await entriesReadAfterImport(session, {
          analyzed,
          tables: ['deliveries', 'events', 'queue', 'replays', 'webhook_hours'].map(
            (table) => `${schema}.${table}`,
          ),
          tasks: tasksOf(own!, partitions),
          grow: () => insertDeliveries(session, own!, target, imported),
        });
        t.deepEqual(
          Object.entries(read).filter(([task, entries]) => entries > entriesMax(task)),
          [],
        );
      });
    });

/** All of it on one connection: nothing gathers statistics in between. */
async function inTransaction(
  t: ExecutionContext,
  work: (session: Session, partitions: Partitions) => Promise<void>,
): Promise<void> {
  const database = await dispatcherDatabase(t, { poolMax: 2 });
  const partitions = new Partitions(database, 30);
  await partitions.prepare();
  await partitions.prepare(Date.now() - day);
  await database.transaction((session) => work(session, partitions));
}

/** Delivered ones, each with its event, a queue row that is parked, a replay and an hour of statistics. */
async function insertDeliveries(
  session: Session,
  { workspaceId, replayId }: Own,
  webhookId: string,
  deliveryIds: readonly string[],
): Promise<void> {
  const parked = { status: 'delivered', dueInSeconds: Infinity } as const;
  await insertQueued(session, { workspaceId, webhookId }, deliveryIds, parked);
  await session.query(insertReplays, [workspaceId, webhookId, deliveryIds.length, replayId]);
}

/** One replay has the given ID. */
const insertReplays = {
  name: 'test.insert-replays',
  text: `
    with numbers as (select generate_series(1, $3::int) as n), replays as (
      insert into dispatcher.replays (workspace_id, id, webhook_id, since, until, total, status, next_at)
      select $1, case when $3 = 1 then $4 else gen_random_uuid() end, $2, now(), now(), 1, 'running',
        now() + interval '1 hour' from numbers
    )
    insert into dispatcher.webhook_hours (workspace_id, webhook_id, hour, attempts, successes, durations)
    select $1, $2, now() - interval '7 days' - n * interval '1 second', 1, 1, '{1}' from numbers
    on conflict do nothing`,
};
