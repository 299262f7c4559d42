import { encodeId, uuidOf } from '@roster/contracts';
import pg from 'pg';
import { inFlightMax, type ChangeLoad } from './change-load.js';
import { changeKey, type EventBody, type UnreliableReceiver } from './unreliable-receiver.js';

/** The system under load, and its current primary database. */
export interface LoadedSystem {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly workspaceId: string;
  readonly databaseUrl: string;
  /** The relation with all recorded deliveries. Default: that of the dispatcher, which contains those that retention has not dropped. */
  readonly deliveries?: string;
}

export interface Subscribed {
  /** The public ID. */
  id: string;
  receiver: UnreliableReceiver;
}

/** A promise, and the violations found. */
export interface Finding {
  promise: string;
  violations: string[];
}

export interface Reconciliation {
  findings: Finding[];
  figures: Record<string, string | number>;
}

/**
 * Compares, by ID, the changes acknowledged to the client, the events in the outbox, the deliveries recorded by the dispatcher,
 * and the requests logged by the receivers.
 */
export async function reconcile(
  system: LoadedSystem,
  load: ChangeLoad,
  webhooks: readonly Subscribed[],
  repeatedMax?: number,
): Promise<Reconciliation> {
  const workspaceId = uuidOf('workspace', system.workspaceId);
  const { events, deliveries, overdue } = await query(system, async (client) => ({
    events: (await client.query<EventRow>(selectEvents, [workspaceId])).rows,
    deliveries: (await client.query<DeliveryRow>(selectDeliveries(system), [workspaceId])).rows,
    overdue: (await client.query<{ id: string }>(selectOverdue, [workspaceId])).rows,
  }));
  const eventOf = new Map(events.map((event) => [keyOf(event), event]));
  const logs = webhooks.map(({ id, receiver }) => ({ id, ...readLog(receiver) }));
  const compared = compareDeliveries(eventOf, deliveries, logs);
  const total = eventOf.size * webhooks.length;
  return {
    findings: [
      {
        // Without load, the other promises hold trivially.
        promise: 'changes were acknowledged',
        violations: load.acknowledged.size > 0 ? [] : ['no change was acknowledged'],
      },
      {
        promise: 'no later response contradicts an acknowledged change',
        violations: load.contradictions,
      },
      {
        promise: 'every acknowledged change is an event',
        violations: [...load.acknowledged].filter((change) => !eventOf.has(change)),
      },
      {
        promise: 'every event × webhook is recorded as delivered, dead or skipped',
        violations: compared.unrecorded,
      },
      {
        promise: 'every delivery recorded as delivered was accepted by its receiver',
        violations: compared.unreceived,
      },
      {
        promise: 'all attempts of a delivery have the same webhook-id and body',
        violations: logs.flatMap((log) => log.differing),
      },
      {
        promise: 'no delivery is overdue',
        violations: overdue.map(({ id }) => encodeId('delivery', id)),
      },
      ...findRepetitions(repeatedMax, total, compared),
    ],
    figures: {
      'changes acknowledged': load.acknowledged.size,
      'changes ambiguous (5xx or connection lost)': load.ambiguous,
      [`not sent, with ${inFlightMax} in flight`]: load.unsent,
      events: eventOf.size,
      'rows and messages of these events': new Set(events.map((event) => event.row_id)).size,
      ...figuresOfDeliveries(total, compared, sum(logs.map(({ arrivals }) => arrivals))),
    },
  };
}

/** Nothing is promised without a maximum: an attempt whose process is killed is repeated. */
function findRepetitions(
  repeatedMax: number | undefined,
  total: number,
  { repeated }: Repetitions,
): Finding[] {
  if (repeatedMax === undefined) return [];
  const promise = `at most ${100 * repeatedMax} % of deliveries are accepted more than once`;
  return [
    { promise, violations: repeated > repeatedMax * total ? [`${repeated} of ${total}`] : [] },
  ];
}

function figuresOfDeliveries(
  total: number,
  { statuses, repeated, afterTimeouts }: Repetitions & { statuses: Record<string, number> },
  arrivals: number,
): Record<string, string | number> {
  const share = ((100 * repeated) / Math.max(1, total)).toFixed(2);
  return {
    'events × webhooks': total,
    ...statuses,
    'requests the receivers read': arrivals,
    'accepted more than once': `${repeated} (${share} %)`,
    'of these, after a time-out': afterTimeouts,
  };
}

/** Requests with a delivery that was accepted before. */
interface Repetitions {
  repeated: number;
  /** Those of a delivery with as many attempts that timed out: the receiver may have accepted them. */
  afterTimeouts: number;
}

/** Compares the recorded delivery of every event and webhook with the log of the receiver. */
function compareDeliveries(
  eventOf: ReadonlyMap<string, EventRow>,
  deliveries: readonly DeliveryRow[],
  logs: readonly { id: string; accepted: ReadonlyMap<string, number> }[],
) {
  const recorded = new Map(deliveries.map((row) => [`${row.event_id} ${row.webhook_id}`, row]));
  const unrecorded: string[] = [];
  const unreceived: string[] = [];
  const statuses: Record<string, number> = { delivered: 0, dead: 0, skipped: 0, pending: 0 };
  const repetitions: Repetitions = { repeated: 0, afterTimeouts: 0 };
  for (const [change, event] of eventOf) {
    for (const { id, accepted } of logs) {
      const row = recorded.get(`${event.id} ${uuidOf('webhook', id)}`);
      const what = `${change} (${encodeId('event', event.id)}) to ${id}`;
      if (!row) {
        unrecorded.push(`${what}: no delivery`);
        continue;
      }
      statuses[row.status] = (statuses[row.status] ?? 0) + 1;
      if (row.status === 'pending') unrecorded.push(`${what}: still pending`);
      const delivery = encodeId('delivery', row.id);
      if (row.status === 'delivered' && !accepted.has(delivery))
        unreceived.push(`${what}: recorded as delivered, but not accepted: ${delivery}`);
      const repeated = accepted.get(delivery) ?? 0;
      repetitions.repeated += repeated;
      repetitions.afterTimeouts += Math.min(repeated, row.timeouts);
    }
  }
  return { unrecorded, unreceived, statuses, ...repetitions };
}

/** Events that have no delivery yet, and pending deliveries. */
export function countUnfinished(system: LoadedSystem, webhooks: number): Promise<number> {
  const values = [uuidOf('workspace', system.workspaceId), webhooks];
  return query(system, async (client) => {
    const { rows } = await client.query<{ unfinished: string }>(selectUnfinished(system), values);
    return Number(rows[0]!.unfinished);
  });
}

interface EventRow {
  row_id: string;
  id: string;
  body: string;
}
interface DeliveryRow {
  id: string;
  event_id: string;
  webhook_id: string;
  status: string;
  /** Number of attempts that timed out. */
  timeouts: number;
}

/** A row has an event, or a line for each of several: see `joinEvents`. */
const selectEvents = `
  select id as row_id, case when body like '{%' then id::text else split_part(line, e'\\t', 1) end as id,
    case when body like '{%' then line else split_part(line, e'\\t', 2) end as body
  from contacts.outbox, string_to_table(body, e'\\n') line where workspace_id = $1`;
const recordedIn = ({ deliveries = 'dispatcher.deliveries' }: LoadedSystem) => deliveries;
const selectDeliveries = (system: LoadedSystem) => `
  select id, event_id, webhook_id, status,
    (select count(*)::int from jsonb_array_elements(attempts) a where a ->> 'errorClass' = 'timeout') as timeouts
  from ${recordedIn(system)} where workspace_id = $1`;
const selectOverdue = `
  select delivery_id as id from dispatcher.queue where workspace_id = $1 and due_at < now()`;
const selectUnfinished = (system: LoadedSystem) => `
  select (select count(*) from contacts.outbox, string_to_table(body, e'\\n') where workspace_id = $1) * $2::int
    - (select count(*) from ${recordedIn(system)} where workspace_id = $1 and status <> 'pending') as unfinished`;

async function query<T>(system: LoadedSystem, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: system.databaseUrl });
  // A broken connection also rejects the query.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

function keyOf({ body }: EventRow): string {
  const { event, data } = JSON.parse(body) as EventBody;
  return changeKey(event, data.contact.id, data.contact.name);
}

function readLog({ arrivals }: UnreliableReceiver) {
  /** By delivery, the number of requests after the one that was accepted. */
  const accepted = new Map<string, number>();
  const seen = new Map<string, { webhookId: string; bodyDigest: string }>();
  const differing: string[] = [];
  for (const arrival of arrivals) {
    const first = seen.get(arrival.change);
    if (!first) seen.set(arrival.change, arrival);
    else if (first.webhookId !== arrival.webhookId || first.bodyDigest !== arrival.bodyDigest) {
      differing.push(`${arrival.change}: ${first.webhookId} and ${arrival.webhookId}`);
    }
    const repeated = accepted.get(arrival.webhookId);
    if (repeated !== undefined) accepted.set(arrival.webhookId, repeated + 1);
    else if (arrival.accepted) accepted.set(arrival.webhookId, 0);
  }
  return { accepted, differing, arrivals: arrivals.length };
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
