import type { Answer, Call } from '@roster/bus';
import { encodeId, operations, operationsOf } from '@roster/contracts';
import { IdClock } from '@roster/service';
import type { Database, Session } from '@roster/service/storage';
import { callAs, entriesReadAfterImport } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { randomUUID } from 'node:crypto';
import { isRecorded } from '../delivery/dispatch-event.js';
import type { Delivery } from '../delivery/delivery.js';
import { countAttempts } from '../delivery/statistics/count-attempts.js';
import { handlers } from '../handlers.js';
import { endOfIds, momentId, startOfIds } from '../queue/moment-id.js';
import { readMax } from '../operations/list-deliveries.js';
import { Partitions } from '../queue/partitions.js';
import { parkWebhook, resumeWebhook, skipWebhook, unparkWebhook } from '../queue/queue-moves.js';
import { enqueueReplay, forgetQueued } from '../queue/queue-table.js';
import { Queue } from '../queue/queue.js';
import { recordOutcomes } from '../queue/record-outcomes.js';
import { advanceReplay, claimReplay } from '../queue/replay-table.js';
import { schema, type DispatcherService } from '../service.js';
import { dispatcherDatabase } from './dispatcher-database.js';
import { insertQueued } from './queue/queued-deliveries.js';

type Name = keyof (typeof operationsOf)['dispatcher'];
type Task = (session: Session) => Promise<unknown>;

const batchCalls = 16;
const importedRows = 20_000;
/** A list with a filter reads a bounded number of deliveries per call. */
const entriesMax = (task: string) => batchCalls * (task.includes('"kind"') ? 1.2 * readMax : 40);
/** Rows that a statement on a part of the queue may take. */
const rowsMax = 50;
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
          tasks: { ...operationTasks(own!, partitions), ...queueTasks(own!, partitions) },
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

interface Own {
  workspaceId: string;
  webhookId: string;
  deliveryId: string;
  replayId: string;
}

const idsOfWorkspace = (): Own => ({
  workspaceId: ids.next(),
  webhookId: ids.next(),
  deliveryId: ids.next(),
  replayId: ids.next(),
});

/** Every operation, and the lists with filters that few or no deliveries match. */
function operationTasks(own: Own, partitions: Partitions): Record<string, Task> {
  const webhookId = encodeId('webhook', own.webhookId);
  const deliveryId = encodeId('delivery', own.deliveryId);
  const replayId = encodeId('replay', own.replayId);
  const cursor = deliveryId.slice('dlv_'.length);
  const since = new Date(Date.now() + day).toISOString();
  const list = { webhookId, limit: 5 };
  const inputs: [Name, object][] = [
    ...[
      {},
      { from: 'oldest' },
      { after: cursor, before: cursor },
      { since },
      { until: '2026-01-01T00:00:00Z' },
      { status: 'dead' },
      { status: 'skipped', from: 'oldest' },
      { status: 'pending' },
      { status: 'delivered' },
      { kind: 'CONTACT_DELETED' },
      { kind: 'CONTACT_DELETED', status: 'delivered', from: 'oldest' },
    ].map((filter): [Name, object] => ['deliveries.list', { ...list, ...filter }]),
    ['deliveries.get', { deliveryId }],
    ['deliveries.retry', { deliveryId }],
    ['webhooks.test', { webhookId, kind: 'CONTACT_CREATED' }],
    ['webhooks.stats', { webhookId }],
    ['replays.create', { webhookId, since }],
    ['replays.get', { replayId }],
    ['replays.cancel', { replayId }],
  ];
  return Object.fromEntries(
    inputs.map(([name, input]) => [
      `${name} ${JSON.stringify(input)}`,
      (session) => call(session, own, partitions, name, input),
    ]),
  );
}

/** Answers a batch of calls within a session as the service does on its pool. */
async function call(
  session: Session,
  { workspaceId }: Own,
  partitions: Partitions,
  name: Name,
  input: object,
): Promise<Answer<unknown>[]> {
  const service = {
    ...{ database: session as Database, partitions, ids },
    queue: { due: () => undefined },
    replays: { wake: () => undefined },
    subscriptions: { one: async () => ({ disabledReason: null }) },
    sourceAddresses: [],
  } as unknown as DispatcherService;
  const handle = handlers(service)[name] as unknown as (
    calls: Call[],
  ) => Promise<Answer<unknown>[]>;
  const caller = { workspaceId: encodeId('workspace', workspaceId) };
  const calls = Array.from({ length: batchCalls }, () => ({
    ...callAs(caller),
    input: operations[name].input.parse(input),
  }));
  return handle(calls);
}

/** What runs beside the operations. */
function queueTasks({ workspaceId, webhookId, deliveryId, replayId }: Own, partitions: Partitions) {
  const lease = randomUUID();
  const delivery = (id: string): Delivery => ({
    ...{ workspaceId, webhookId, id, eventId: id, kind: 'CONTACT_CREATED', body: '{}' },
    ...{ attempts: 0, trigger: 'event' },
  });
  const move = [workspaceId, webhookId, startOfIds, rowsMax];
  const range = [momentId(0), momentId(0), endOfIds];
  const tasks: Record<string, Task> = {
    claim: (session) =>
      new Queue(session as Database).claim({
        ...{ lease, leaseSeconds: 60, rowsMax, rowsPerWebhookMax: 8 },
        ...{ without: [], single: [], workspaces: [], roomOfOthers: rowsMax },
      }),
    'record first': (session) =>
      recordOutcomes(session as Database, partitions, [
        { delivery: delivery(ids.next()), status: 'pending', dueInSeconds: 5 },
      ]),
    'record again': (session) =>
      recordOutcomes(session as Database, partitions, [
        { delivery: { ...delivery(deliveryId), lease }, status: 'delivered' },
      ]),
    'is recorded': (session) => session.query(isRecorded, [workspaceId, [deliveryId]]),
    park: (session) => session.query(parkWebhook, move),
    unpark: (session) => session.query(unparkWebhook, move),
    resume: (session) => session.query(resumeWebhook, move),
    skip: (session) => session.query(skipWebhook, [...move, 'The webhook was deleted.']),
    waiting: (session) => new Queue(session as Database).waiting(workspaceId),
    'parked of all': (session) => new Queue(session as Database).waiting(),
    'forget queued': (session) =>
      session.query(forgetQueued, [momentId(Date.now() - day), rowsMax]),
    'enqueue replay': (session) =>
      session.query(enqueueReplay, [workspaceId, webhookId, ...range, null, null, rowsMax]),
    'claim replay': (session) => session.query(claimReplay, [[], [], 8]),
    'advance replay': (session) =>
      session.query(advanceReplay, [workspaceId, replayId, 1, null, false]),
    'count attempts': (session) =>
      countAttempts(session as Database, [attemptOf(delivery(deliveryId))]),
  };
  return tasks;
}

const attemptOf = (delivery: Delivery) => ({
  delivery,
  attempt: { startedAt: new Date().toISOString(), error: null, totalMs: 1 } as never,
  status: 'delivered' as const,
});

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
