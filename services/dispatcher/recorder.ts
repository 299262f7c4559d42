import { timeOfId } from '@roster/service';
import type { Database, Statement } from '@roster/service/storage';
import type { Attempt } from './attempt.js';
import { countAttempts } from './count-attempts.js';
import type { Delivery, DeliveryStatus } from './delivery.js';
import type { Partitions } from './partitions.js';

/** What is to be written down about a delivery. */
export interface Outcome {
  delivery: Delivery;
  /** Undefined when nothing was sent: it was skipped, or put off. */
  attempt?: Attempt;
  status: DeliveryStatus;
  /** Why it is dead or skipped, or why it waits when not for its schedule. */
  reason?: string;
  /** When it is due, for `pending`. */
  dueInSeconds?: number;
}

interface Entry {
  outcome: Outcome;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const flushEveryMs = 20;
const flushMax = 500;
/** Flushes under way at once. */
const inFlightMax = 2;

/** Writes outcomes down in batches: one statement for many. */
export class Recorder {
  readonly #database: Database;
  readonly #partitions: Partitions;
  readonly #onCountFailure: (error: unknown) => void;
  #queue: Entry[] = [];
  #inFlight = 0;
  #failing = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    database: Database,
    partitions: Partitions,
    onCountFailure: (error: unknown) => void,
  ) {
    this.#database = database;
    this.#partitions = partitions;
    this.#onCountFailure = onCountFailure;
  }

  /** Whether the last batch could not be written. */
  get failing(): boolean {
    return this.#failing;
  }

  /** Resolves when the outcome is committed. Rejects when it is not: the event, or the lease, brings the delivery again. */
  record(outcome: Outcome): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ outcome, resolve, reject });
      if (this.#queue.length >= flushMax) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), flushEveryMs);
    });
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#queue.length === 0 || this.#inFlight >= inFlightMax) return;
    const entries = this.#queue.splice(0, flushMax);
    this.#inFlight += 1;
    this.#write(entries)
      .then(
        () => {
          this.#failing = false;
          for (const { resolve } of entries) resolve();
        },
        (error: unknown) => {
          this.#failing = true;
          for (const { reject } of entries) reject(error);
        },
      )
      .finally(() => {
        this.#inFlight -= 1;
        this.#flush();
      });
  }

  async #write(entries: Entry[]): Promise<void> {
    const outcomes = entries.map(({ outcome }) => outcome);
    const first = outcomes.filter(({ delivery }) => delivery.lease === undefined);
    const again = outcomes.filter(({ delivery }) => delivery.lease !== undefined);
    for (const { delivery } of first) await this.#partitions.ensure(timeOfId(delivery.eventId));
    await Promise.all([
      first.length > 0 && this.#database.query(recordFirst, firstColumns(first)),
      again.length > 0 && this.#database.query(recordAgain, againColumns(again)),
    ]);
    // A rolled-up count that is lost with PostgreSQL must not have deliveries sent twice.
    await countAttempts(this.#database, outcomes).catch(this.#onCountFailure);
  }
}

const attemptsOf = ({ attempt }: Outcome): string => JSON.stringify(attempt ? [attempt] : []);

const firstColumns = (outcomes: readonly Outcome[]): unknown[] => [
  outcomes.map(({ delivery }) => delivery.workspaceId),
  outcomes.map(({ delivery }) => delivery.id),
  outcomes.map(({ delivery }) => delivery.eventId),
  outcomes.map(({ delivery }) => delivery.webhookId),
  outcomes.map(({ delivery }) => delivery.kind),
  outcomes.map(({ delivery }) => delivery.body),
  outcomes.map(({ status }) => status),
  outcomes.map(({ reason }) => reason ?? null),
  outcomes.map(attemptsOf),
  outcomes.map(({ dueInSeconds }) => dueInSeconds ?? null),
  outcomes.map(({ delivery, attempt }) => delivery.attempts + (attempt ? 1 : 0)),
  outcomes.map(({ delivery, attempt }) => (attempt ? 'retry' : delivery.trigger)),
];

const againColumns = (outcomes: readonly Outcome[]): unknown[] => [
  outcomes.map(({ delivery }) => delivery.workspaceId),
  outcomes.map(({ delivery }) => delivery.id),
  outcomes.map(({ delivery }) => delivery.webhookId),
  outcomes.map(({ delivery }) => delivery.lease),
  outcomes.map(({ status }) => status),
  outcomes.map(({ reason }) => reason ?? null),
  outcomes.map(attemptsOf),
  outcomes.map(({ dueInSeconds }) => dueInSeconds ?? null),
  outcomes.map(({ delivery, attempt }) => delivery.attempts + (attempt ? 1 : 0)),
  outcomes.map(({ delivery, attempt }) => (attempt ? 'retry' : delivery.trigger)),
];

/**
 * Deliveries seen for the first time. One that is recorded already stays as it is: its event came twice. The event's body
 * is stored once, for the first of its webhooks.
 */
const recordFirst: Statement = {
  name: 'dispatcher.record-first',
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::jsonb[], $10::float8[], $11::int[], $12::text[])
        as i (workspace_id, id, event_id, webhook_id, kind, body, status, reason, attempts, due_in, made, trigger)
    ), told as (
      insert into dispatcher.events (workspace_id, id, kind, body)
      select distinct on (workspace_id, event_id) workspace_id, event_id, kind, body from input
      order by workspace_id, event_id
      on conflict do nothing
    ), written as (
      insert into dispatcher.deliveries
        (workspace_id, id, event_id, webhook_id, kind, status, reason, attempts, completed_at)
      select workspace_id, id, event_id, webhook_id, kind, status, reason, attempts,
        case when status <> 'pending' then now() end
      from input order by workspace_id, id
      on conflict do nothing
      returning workspace_id, id
    )
    insert into dispatcher.queue (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
    select workspace_id, webhook_id, id, event_id, made, trigger, now() + due_in * interval '1 second'
    from input join written using (workspace_id, id)
    where status = 'pending'`,
};

/**
 * Deliveries that waited. Only who still holds the lease may write: a process that was paused past it finds its place
 * taken, and its outcome is dropped.
 */
const recordAgain: Statement = {
  name: 'dispatcher.record-again',
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::jsonb[],
        $8::float8[], $9::int[], $10::text[])
        as i (workspace_id, id, webhook_id, lease, status, reason, attempts, due_in, made, trigger)
    ), held as (
      select q.workspace_id, q.webhook_id, q.delivery_id, i.status, i.reason, i.attempts, i.due_in, i.made, i.trigger
      from dispatcher.queue q
        join input i on i.workspace_id = q.workspace_id and i.webhook_id = q.webhook_id and i.id = q.delivery_id
          and i.lease = q.lease
      order by q.workspace_id, q.webhook_id, q.delivery_id
      for update of q
    ), kept as (
      update dispatcher.queue q
      set due_at = now() + h.due_in * interval '1 second', attempts = h.made, trigger = h.trigger, lease = null
      from held h
      where h.status = 'pending' and q.workspace_id = h.workspace_id and q.webhook_id = h.webhook_id
        and q.delivery_id = h.delivery_id
    ), done as (
      delete from dispatcher.queue q using held h
      where h.status <> 'pending' and q.workspace_id = h.workspace_id and q.webhook_id = h.webhook_id
        and q.delivery_id = h.delivery_id
    )
    update dispatcher.deliveries d
    set status = h.status, reason = h.reason, attempts = d.attempts || h.attempts,
      completed_at = case when h.status <> 'pending' then now() end
    from held h where d.workspace_id = h.workspace_id and d.id = h.delivery_id`,
};
