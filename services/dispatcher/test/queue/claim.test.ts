import { randomUUID } from 'node:crypto';
import { IdClock } from '@roster/process';
import type { Database, Session } from '@roster/storage';
import { entriesReadAfterImport } from '@roster/testing';
import test from 'ava';
import { Partitions } from '../../queue/partitions.js';
import { Queue } from '../../queue/queue.js';
import { dispatcherDatabase } from '../dispatcher-database.js';
import { insertQueued } from './queued-deliveries.js';

const ids = new IdClock();
const newIds = (count: number) => Array.from({ length: count }, () => ids.next());

const claim = (session: Session) => claimFrom(new Queue(session as Database));

const claimFrom = (queue: Queue) =>
  queue.claim({
    ...{ lease: randomUUID(), leaseSeconds: 60, rowsMax: 100, rowsPerWebhookMax: 8 },
    ...{ without: [], single: [], workspaces: [], roomOfOthers: 50 },
  });

const insertWaiting = {
  name: 'test.insert-waiting',
  text: `
    insert into dispatcher.queue (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
    select $1, id, id, id, 1, 'retry', now() + interval '1 hour' from unnest($2::uuid[]) id`,
};

/** Due deliveries of each of these webhooks, of one event. */
const insertDue = {
  name: 'test.insert-due',
  text: `
    insert into dispatcher.queue (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
    select $1, id, gen_random_uuid(), $4, 1, 'retry', now() - random() * interval '1 hour'
    from unnest($2::uuid[]) id, generate_series(1, $3::int)`,
};

test('a claim does not read the rows of 10,000 webhooks that wait and are not due', async (t) => {
  const database = await dispatcherDatabase(t);
  await new Partitions(database, 30).prepare();
  const workspaceId = ids.next();
  const dueIds = newIds(3);
  await database.transaction(async (session) => {
    for (const id of dueIds) await insertQueued(session, { workspaceId, webhookId: id }, [id]);
    const read = await entriesReadAfterImport(session, {
      tables: ['dispatcher.queue'],
      tasks: { claim },
      grow: () => session.query(insertWaiting, [workspaceId, newIds(10_000)]),
    });
    t.true(read['claim']! < 50, `${read['claim']} entries`);
    const claimed = await claim(session);
    t.deepEqual(claimed.map((row) => row.delivery_id).toSorted(), dueIds);
  });
});

test('a claim takes a few deliveries of every webhook, though thousands of one have been due for longer', async (t) => {
  const database = await dispatcherDatabase(t);
  await new Partitions(database, 30).prepare();
  const [workspaceId = '', busy = '', ...others] = newIds(5);
  await insertQueued(database, { workspaceId, webhookId: busy }, newIds(3000), {
    dueInSeconds: -60,
  });
  for (const webhookId of others)
    await insertQueued(database, { workspaceId, webhookId }, newIds(1));
  const claimed = await claim(database);
  const countOf = (id: string) => claimed.filter(({ webhook_id }) => webhook_id === id).length;
  t.deepEqual([busy, ...others].map(countOf), [8, 1, 1, 1]);
});

for (const [shape, webhooks, each] of [
  ['3,000 webhooks with three', 3000, 3],
  ['one webhook with 20,000', 1, 20_000],
] as const)
  test(`a claim reads a bounded number of rows, by index, of ${shape} due deliveries each`, async (t) => {
    const database = await dispatcherDatabase(t);
    await new Partitions(database, 30).prepare();
    const [workspaceId = '', eventId = ''] = newIds(2);
    await database.transaction(async (session) => {
      await insertQueued(session, { workspaceId, webhookId: eventId }, [eventId]);
      const values = [workspaceId, newIds(webhooks), each, eventId];
      const read = await entriesReadAfterImport(session, {
        tables: ['dispatcher.queue'],
        tasks: { claim },
        grow: async () => {
          await session.query(insertDue, values);
          await session.em.execute('analyze dispatcher.queue');
        },
      });
      t.true(read['claim']! < 4000, `${read['claim']} entries`);
      t.is((await claim(session)).length, webhooks === 1 ? 8 + 1 : 50);
    });
  });

test('claims reach every webhook in turn, and return none only if none is due', async (t) => {
  const database = await dispatcherDatabase(t);
  await new Partitions(database, 30).prepare();
  const [many = '', few = '', eventId = ''] = newIds(3);
  await insertQueued(database, { workspaceId: many, webhookId: eventId }, [eventId]);
  await insertQueued(database, { workspaceId: few, webhookId: eventId }, newIds(1));
  await database.query(insertDue, [many, newIds(600), 2, eventId]);
  const queue = new Queue(database);
  const claimed: string[][] = [];
  for (;;) {
    const rows = await claimFrom(queue);
    if (rows.length === 0) break;
    claimed.push(rows.map((row) => row.workspace_id));
  }
  t.is(claimed.flat().length, 600 * 2 + 2);
  t.true(claimed[0]!.length <= 50, 'the room of a workspace');
  const turn = claimed.findIndex((workspaces) => workspaces.includes(few));
  t.true(turn <= 2, `claim ${turn + 1}`);
});

test('claims of many due deliveries skip any number of webhooks without one, and begin again after the last webhook', async (t) => {
  const database = await dispatcherDatabase(t);
  await new Partitions(database, 30).prepare();
  const [workspaceId = '', first = ''] = newIds(2);
  await insertQueued(database, { workspaceId, webhookId: first }, newIds(1500), {
    dueInSeconds: -60,
  });
  // More than two claims visit.
  await database.query(insertWaiting, [workspaceId, newIds(600)]);
  const [last = ''] = newIds(1);
  await insertQueued(database, { workspaceId, webhookId: last }, newIds(1));
  const queue = new Queue(database);
  const claimed: string[][] = [];
  for (let claims = 0; claims < 4; claims += 1)
    claimed.push((await claimFrom(queue)).map((row) => row.webhook_id));
  const eight = Array.from({ length: 8 }, () => first);
  t.deepEqual(claimed, [eight, [last], eight, eight]);
});
