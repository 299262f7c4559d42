import type { EventMessage, EventPublisher, Link } from '@roster/bus';
import { encodeId, type EventBody, type EventKind } from '@roster/contracts';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database, Session, Statement } from './database.js';
import type { Log } from './log.js';
import type { IdClock } from './time-ordered-id.js';

/** An event as its row in the outbox, with raw ids. */
export interface OutboxEvent {
  id: string;
  workspaceId: string;
  kind: EventKind;
  /** The delivery's body: serialised here once, stored, signed and sent as these bytes. */
  body: string;
}

/** The table, for the service's migration. `stream_seq` is where the event stream acknowledged the event; null until then. */
export const outboxTable = (schema: string): string[] => [
  `create table ${schema}.outbox (
    workspace_id uuid not null,
    id uuid not null,
    kind text not null,
    body text not null,
    created_at timestamptz not null default now(),
    stream_seq bigint,
    primary key (workspace_id, id)
  )`,
  `create index outbox_stream_seq on ${schema}.outbox (stream_seq)`,
  `create index outbox_created_at on ${schema}.outbox using brin (created_at)`,
];

/**
 * Its indexes, for a later migration: for the sweeper what is not published, for the search of a lost tail what is. In one index
 * of both, all that was published since the last vacuum still stands among what is not, and every sweep reads it.
 */
export const outboxIndexes = (schema: string): string[] => [
  `drop index ${schema}.outbox_stream_seq`,
  `create index outbox_published on ${schema}.outbox (stream_seq) where stream_seq is not null`,
  `create index outbox_unpublished on ${schema}.outbox (created_at) where stream_seq is null`,
];

/** Makes an event that happened now, or at `at`. */
export function makeEvent<K extends EventKind>(
  ids: IdClock,
  workspaceId: string,
  kind: K,
  data: EventBody<K>['data'],
  at: Date = new Date(),
): OutboxEvent {
  const body: EventBody<K> = { event: kind, created_at: at.toISOString(), data };
  return { id: ids.next(), workspaceId, kind, body: JSON.stringify(body) };
}

export interface OutboxOptions {
  schema: string;
  database: Database;
  publisher: EventPublisher;
  link: Link;
  log: Log;
  metrics: Registry;
  stream: { replicas: number; maxAgeSeconds: number };
  /** How old an unpublished row is before the sweeper takes it. */
  sweepAfterMs?: number;
  sweepEveryMs?: number;
  /** How long published rows stay, to be published again when the stream loses its tail. */
  keepSeconds?: number;
}

/** Events published at once; JetStream acknowledges each. */
const inFlightMax = 128;
/** Events that wait in memory; beyond it they wait in the table, for the sweeper. */
const queuedMax = 10_000;
const markEveryMs = 20;
const sweepRowsMax = 500;
const purgeRowsMax = 5000;
const purgeEveryMs = 60_000;

/**
 * Publishes what a service's transactions have written to their outbox: at once after the commit, by the sweeper what a
 * crash left behind, and again what the stream has lost. PostgreSQL is the truth; the stream is a copy that can be rebuilt.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #sql: ReturnType<typeof statements>;
  readonly #queue: OutboxEvent[] = [];
  #acknowledged: { event: OutboxEvent; sequence: number }[] = [];
  #inFlight = 0;
  /** Closed from the loss of the link until it is known whether the stream still holds what it acknowledged. */
  #open = false;
  #stopped = false;
  #marking: Promise<void> = Promise.resolve();
  #timers: NodeJS.Timeout[] = [];
  #background = new Set<Promise<unknown>>();
  #idle: (() => void)[] = [];
  readonly #published: Counter;
  readonly #unlisten: () => void;

  private constructor(options: OutboxOptions) {
    this.#options = options;
    this.#sql = statements(options.schema);
    const { metrics, link, sweepEveryMs = 1000 } = options;
    this.#published = new Counter({
      name: 'roster_outbox_published_total',
      help: 'Events acknowledged by the stream, by the way they took.',
      labelNames: ['way'],
      registers: [metrics],
    });
    this.#observeDepth(metrics);
    this.#unlisten = link.onChange((up) => {
      this.#open = false;
      // An acknowledgement that was not written down yet may be of a message that NATS has lost: publish it again.
      this.#acknowledged = [];
      // The sweeper has them now.
      this.#queue.length = 0;
      if (up) this.#run(this.#reconcile());
    });
    this.#every(markEveryMs, () => this.#mark());
    this.#every(sweepEveryMs, () => (this.#open ? this.#sweep() : this.#reconcile()));
    this.#every(purgeEveryMs, () => this.purge(options.keepSeconds ?? 86_400));
  }

  static async open(options: OutboxOptions): Promise<Outbox> {
    const outbox = new Outbox(options);
    await outbox.#reconcile();
    return outbox;
  }

  /** Writes events in the session's transaction, and publishes them once it is committed. */
  async add(session: Session, events: readonly OutboxEvent[]): Promise<void> {
    if (events.length === 0) return;
    await session.query(this.#sql.insert, columnsOf(events));
    session.afterCommit(() => this.publish(events));
  }

  /** Publishes events whose rows are committed. Returns at once; what fails here is left to the sweeper. */
  publish(events: readonly OutboxEvent[]): void {
    if (!this.#open || this.#stopped) return;
    for (const event of events) {
      if (this.#queue.length >= queuedMax) break;
      this.#queue.push(event);
    }
    this.#pump();
  }

  /** Publishes what is queued, writes down what was acknowledged. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unlisten();
    for (const timer of this.#timers) clearInterval(timer);
    if (this.#open && (this.#inFlight > 0 || this.#queue.length > 0)) {
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
    await Promise.allSettled(this.#background);
    await this.#mark();
  }

  #pump(): void {
    while (this.#open && this.#inFlight < inFlightMax && this.#queue.length > 0) {
      void this.#publishOne(this.#queue.shift()!);
    }
    if (this.#inFlight === 0 && (this.#queue.length === 0 || !this.#open)) {
      for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  async #publishOne(event: OutboxEvent): Promise<void> {
    this.#inFlight += 1;
    try {
      const sequence = await this.#options.publisher.publish(messageOf(event));
      if (this.#open) this.#acknowledged.push({ event, sequence });
    } catch (error) {
      this.#options.log.debug({ err: error, eventId: event.id }, 'left an event to the sweeper');
    } finally {
      this.#inFlight -= 1;
      this.#pump();
    }
  }

  /** Writes down what the stream acknowledged, one statement at a time. */
  #mark(): Promise<void> {
    this.#marking = this.#marking.then(async () => {
      const acknowledged = this.#acknowledged;
      if (acknowledged.length === 0) return;
      this.#acknowledged = [];
      this.#published.inc({ way: 'fast' }, acknowledged.length);
      await this.#options.database
        .query(this.#sql.mark, markColumns(acknowledged))
        .catch((error: unknown) => {
          // The sweeper publishes them once more, and the stream drops the repetition.
          this.#options.log.warn({ err: error }, 'could not mark published events');
        });
    });
    return this.#marking;
  }

  /** Publishes rows that nobody has: their process died, or NATS was away. Two sweepers never take the same row. */
  async #sweep(): Promise<void> {
    const { database, publisher, sweepAfterMs = 2000 } = this.#options;
    for (let more = true; more && this.#open && !this.#stopped;) {
      more = await database.transaction(async (session) => {
        const rows = await session.query<OutboxEvent>(this.#sql.claim, [
          sweepAfterMs,
          sweepRowsMax,
        ]);
        if (rows.length === 0) return false;
        const sent = await Promise.allSettled(
          rows.map((event) => publisher.publish({ ...messageOf(event), again: true })),
        );
        const acknowledged = rows.flatMap((event, at) => {
          const outcome = sent[at]!;
          return outcome.status === 'fulfilled' ? [{ event, sequence: outcome.value }] : [];
        });
        await session.query(this.#sql.mark, markColumns(acknowledged));
        this.#published.inc({ way: 'swept' }, acknowledged.length);
        return rows.length === sweepRowsMax && acknowledged.length > 0;
      });
    }
  }

  /**
   * Finds out whether the stream still holds what it acknowledged, and hands what it lost to the sweeper. Nothing is
   * published before: a fresh message at the end would hide the gap.
   */
  async #reconcile(): Promise<void> {
    const { database, publisher, stream, link, log } = this.#options;
    if (!link.up) return;
    try {
      const bounds = await publisher.bounds(stream);
      let kept = 0;
      for (let offset = 0; ; offset = offset * 2 + 1) {
        const [row] = await database.query<{ id: string; seq: string }>(this.#sql.newest, [offset]);
        if (!row) break;
        const sequence = Number(row.seq);
        // What is before the stream's first message has aged out: it was there.
        const held = sequence < bounds.first && sequence <= bounds.last;
        if (held || (await publisher.messageIdAt(sequence)) === encodeId('event', row.id)) {
          kept = sequence;
          break;
        }
      }
      const lost = await database.query<{ id: string }>(this.#sql.forget, [kept]);
      if (lost.length > 0)
        log.warn({ events: lost.length, kept }, 'the stream lost its tail; publishing again');
      if (link.up && !this.#open) {
        this.#open = true;
        this.#run(this.#sweep());
      }
    } catch (error) {
      log.warn({ err: error }, 'could not compare the outbox with the stream yet');
    }
  }

  /** Removes published rows that are older than this. Runs by itself every minute. */
  async purge(keepSeconds: number): Promise<void> {
    for (;;) {
      const gone = await this.#options.database.query(this.#sql.purge, [keepSeconds, purgeRowsMax]);
      if (gone.length < purgeRowsMax || this.#stopped) return;
    }
  }

  /** Runs `work` again and again, never twice at once. */
  #every(intervalMs: number, work: () => Promise<unknown>): void {
    let busy = false;
    this.#timers.push(
      setInterval(() => {
        if (busy) return;
        busy = true;
        this.#run(work().finally(() => (busy = false)));
      }, intervalMs),
    );
  }

  #run(work: Promise<unknown>): void {
    const settled = work
      .catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'the outbox could not do its work'),
      )
      .finally(() => this.#background.delete(settled));
    this.#background.add(settled);
  }

  #observeDepth(metrics: Registry): void {
    const { database } = this.#options;
    const { depth } = this.#sql;
    const age = new Gauge({
      name: 'roster_outbox_oldest_seconds',
      help: 'Age of the oldest event that is not published.',
      registers: [metrics],
    });
    const gauge = new Gauge({
      name: 'roster_outbox_events',
      help: 'Events that are not published yet.',
      registers: [metrics],
      async collect() {
        const [row] = await database
          .query<{ count: string; age: string }>(depth, [])
          .catch(() => []);
        gauge.set(Number(row?.count ?? Number.NaN));
        age.set(Number(row?.age ?? Number.NaN));
      },
    });
  }
}

const messageOf = (event: OutboxEvent): EventMessage => ({
  id: encodeId('event', event.id),
  workspaceId: encodeId('workspace', event.workspaceId),
  kind: event.kind,
  body: event.body,
});

const columnsOf = (events: readonly OutboxEvent[]): unknown[] => [
  events.map((event) => event.workspaceId),
  events.map((event) => event.id),
  events.map((event) => event.kind),
  events.map((event) => event.body),
];

const markColumns = (
  acknowledged: readonly { event: OutboxEvent; sequence: number }[],
): unknown[] => [
  acknowledged.map(({ event }) => event.workspaceId),
  acknowledged.map(({ event }) => event.id),
  acknowledged.map(({ sequence }) => sequence),
];

const statements = (schema: string) => {
  const table = `${schema}.outbox`;
  const named = (name: string, text: string): Statement => ({ name: `outbox.${name}`, text });
  return {
    insert: named(
      'insert',
      `insert into ${table} (workspace_id, id, kind, body)
       select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])`,
    ),
    // Only rows without a sequence: a sweeper may have published the event anew, at a sequence that holds it for sure. As
    // `is null` it would be taken for the shorter way to the rows, past all that were published since the last vacuum.
    mark: named(
      'mark',
      `update ${table} o set stream_seq = a.seq
       from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as a (workspace_id, id, seq)
       where o.workspace_id = a.workspace_id and o.id = a.id and coalesce(o.stream_seq, 0) = 0`,
    ),
    claim: named(
      'claim',
      `select id, workspace_id as "workspaceId", kind, body from ${table}
       where stream_seq is null and created_at < now() - $1 * interval '1 millisecond'
       limit $2 for update skip locked`,
    ),
    newest: named(
      'newest',
      `select id, stream_seq as seq from ${table}
       where stream_seq is not null order by stream_seq desc offset $1 limit 1`,
    ),
    forget: named(
      'forget',
      `update ${table} set stream_seq = null where stream_seq > $1 returning id`,
    ),
    purge: named(
      'purge',
      `delete from ${table} where ctid = any (array(
         select ctid from ${table}
         where created_at < now() - $1 * interval '1 second' and stream_seq is not null limit $2
       )) returning 1`,
    ),
    depth: named(
      'depth',
      `select count(*) as count, coalesce(extract(epoch from now() - min(created_at)), 0) as age
       from ${table} where stream_seq is null`,
    ),
  };
};
