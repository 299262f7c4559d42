import { randomUUID } from 'node:crypto';
import type { Answer, Call } from '@roster/bus';
import { encodeId, operations, operationsOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import type { Database, Session } from '@roster/storage';
import { callAs } from '@roster/testing';
import { isRecorded } from '../delivery/dispatch-events.js';
import { endOfIds, momentId, startOfIds, type Delivery } from '../delivery/delivery.js';
import { countAttempts, forgetHours } from '../delivery/count-attempts.js';
import { handlers } from '../handlers.js';
import { dropPartition, listPartitions, Partitions } from '../queue/partitions.js';
import { eraseDeliveries } from '../operations/erase-contact.js';
import { parkWebhook, resumeWebhook, skipWebhook, unparkWebhook } from '../queue/queue-moves.js';
import {
  enqueueReplay,
  forgetQueued,
  queueDepth,
  readOverdue,
  readStates,
} from '../queue/queue-table.js';
import { Queue } from '../queue/queue.js';
import { recordOutcomes } from '../queue/record-outcomes.js';
import { announceDead, forgetAnnouncements } from '../queue/announce-dead.js';
import { forgetRates, grantAttempts } from '../queue/rate-grants.js';
import { advanceReplay, claimReplay } from '../queue/replay-runner.js';
import type { DispatcherService } from '../service.js';

type Name = keyof (typeof operationsOf)['dispatcher'];
export type Task = (session: Session) => Promise<unknown>;

export const batchCalls = 16;
/** Rows that a statement on a part of the queue may take. */
const rowsMax = 50;
const day = 86_400_000;
const ids = new IdClock();

export interface Own {
  workspaceId: string;
  webhookId: string;
  deliveryId: string;
  replayId: string;
}

export const idsOfWorkspace = (): Own => ({
  workspaceId: ids.next(),
  webhookId: ids.next(),
  deliveryId: ids.next(),
  replayId: ids.next(),
});

/** What a dispatcher does, by name: operations and background work. Each runs in a session. With `tasksOfAll`, they run every statement. */
export const tasksOf = (own: Own, partitions: Partitions): Record<string, Task> => ({
  ...operationTasks(own, partitions),
  ...queueTasks(own, partitions),
});

const oldPartition = 'events_20260101';

/** What concerns all workspaces, and may read whole tables. */
export const tasksOfAll = (): Record<string, Task> => ({
  'forget hours': (session) => forgetHours(session as Database),
  'forget rates': (session) => forgetRates(session as Database),
  'forget announcements': (session) => forgetAnnouncements(session as Database),
  'queue depth': (session) => session.query(queueDepth, []),
  overdue: (session) => session.query(readOverdue, [60, rowsMax]),
  'create partitions': (session) =>
    new Partitions(session as Database, 30).ensure(Date.now() + 40 * day),
  'list partitions': (session) => session.query(listPartitions, []),
  'drop partition': (session) => session.query(dropPartition, [oldPartition]),
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
    ...[
      {},
      { totals: true },
      { from: 'oldest' },
      { after: cursor, before: cursor },
      { webhookId },
      { webhookId, totals: true },
      { status: ['dead', 'skipped'] },
      { status: ['pending'], from: 'oldest', totals: true },
      { since, kind: ['CONTACT_DELETED'] },
    ].map((filter): [Name, object] => ['workspace-deliveries.list', { limit: 5, ...filter }]),
    ['deliveries.get', { deliveryId }],
    ['event.get', { eventId: encodeId('event', own.deliveryId) }],
    [
      'dispatcher.erase-contact',
      {
        workspaceId: encodeId('workspace', own.workspaceId),
        ...{
          contactId: encodeId('contact', own.deliveryId),
          known: { emails: ['a@example.com'], others: [] },
        },
        after: null,
      },
    ],
    ['deliveries.retry', { deliveryId }],
    ['webhooks.test', { webhookId, kind: 'CONTACT_CREATED' }],
    ['webhooks.stats', { webhookId }],
    ['webhook-health.get', { webhookIds: [webhookId], since: new Date().toISOString() }],
    ['webhook-health.get', { since: new Date().toISOString() }],
    ['replays.create', { webhookId, since }],
    ['replays.list', { limit: 5 }],
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
    activity: { replayChanged: () => undefined, queuedAgain: () => undefined },
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
function queueTasks(
  { workspaceId, webhookId, deliveryId, replayId }: Own,
  partitions: Partitions,
): Record<string, Task> {
  const lease = randomUUID();
  const delivery = (id: string): Delivery => ({
    ...{ workspaceId, webhookId, id, eventId: id, kind: 'CONTACT_CREATED', body: '{}' },
    ...{ attempts: 0, trigger: 'event' },
  });
  const move = [workspaceId, webhookId, startOfIds, rowsMax];
  const range = [momentId(0), momentId(0), endOfIds];
  return {
    'take attempts': (session) =>
      grantAttempts(session as Database, { workspaceId, id: webhookId, ratePerSecond: 10 }, 1),
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
    'erase deliveries': (session) =>
      eraseDeliveries(workspaceId, [{ id: deliveryId, text: '{}', isOwn: true }], session),
    'announce dead': (session) =>
      announceDead(session, [{ delivery: delivery(deliveryId), status: 'dead' }], {
        ...{ ids, outbox: { add: () => Promise.resolve() } },
      }),
    'delivery states': (session) => session.query(readStates, [workspaceId, [deliveryId]]),
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
    'renew leases': (session) =>
      new Queue(session as Database).renew([{ ...delivery(deliveryId), lease }], 60),
  };
}

const attemptOf = (delivery: Delivery) => ({
  delivery,
  attempt: { startedAt: new Date().toISOString(), error: null, totalMs: 1 } as never,
  status: 'delivered' as const,
});
