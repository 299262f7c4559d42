import {
  FailureLog,
  type EventPublisher,
  type Link,
  type RecentWorkspaces,
  type StreamOptions,
} from '@roster/bus';
import { encodeId } from '@roster/contracts';
import { Counter, type Registry } from 'prom-client';
import { type Log, observeTogether } from '@roster/process';
import type { Database, Session } from '../database.js';
import { startRetention } from '../retention.js';
import { rowBytesMax, type OutboxRow } from './event.js';
import { postgresTable } from './postgres-table.js';
import type { Comparison } from './reconciliation.js';
import { OutboxRelay } from './relay.js';
import { insertValues, outboxStatements, type OutboxStatements } from './statements.js';

export interface OutboxOptions {
  schema: string;
  database: Database;
  publisher: EventPublisher;
  link: Link;
  log: Log;
  metrics: Registry;
  stream: StreamOptions;
  /** The workspaces of received calls. Without it, none counts as active. */
  callers?: Pick<RecentWorkspaces, 'isOtherActive'>;
  /** Age of an unpublished row at which the sweeper takes it. */
  sweepAfterMs?: number;
  sweepEveryMs?: number;
  /** Interval of the checks whether the stream lost messages while the link was up. */
  reconcileEveryMs?: number;
  /** Retention of published rows, which are published again if the stream loses its latest messages. */
  keepSeconds?: number;
}

/**
 * From a publication to the mark of the events acknowledged by then. A mark is one transaction for any number of events, so a
 * longer time costs less; it must stay well below the age at which the sweeper publishes an unmarked event again.
 */
const markAfterMs = 100;
const purgeRowsMax = 5000;
const purgeEveryMs = 60_000;

/**
 * Publishes the events that transactions of a service wrote to their outbox: immediately after the commit. The sweeper
 * publishes those that a crash left unpublished. Messages that the stream lost are published again.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #reconcileFailures: FailureLog;
  readonly #taskFailures: FailureLog;
  readonly #sql: OutboxStatements;
  readonly #relay: OutboxRelay;
  readonly #lost: Counter;
  #reconcileAt = 0;
  #stopped = false;
  #timers: NodeJS.Timeout[] = [];
  #markTimer: NodeJS.Timeout | undefined;
  readonly #background = new Set<Promise<unknown>>();
  readonly #unlisten: () => void;
  readonly #stopRetention: () => void;

  private constructor(options: OutboxOptions) {
    this.#options = options;
    this.#sql = outboxStatements(options.schema);
    const { database, metrics, link, log, publisher, stream, sweepEveryMs = 1000 } = options;
    this.#reconcileFailures = new FailureLog(
      log,
      'failed to compare the outbox with the stream; will retry',
    );
    this.#taskFailures = new FailureLog(log, 'outbox background task failed');
    const published = new Counter({
      name: 'roster_outbox_published_total',
      help: 'Events acknowledged by the stream, by publishing path.',
      labelNames: ['way'],
      registers: [metrics],
    });
    this.#lost = new Counter({
      name: 'roster_outbox_lost_total',
      help: 'Published rows whose messages the stream has lost; they are published again.',
      registers: [metrics],
    });
    this.#relay = new OutboxRelay({
      table: postgresTable(database, this.#sql),
      stream: {
        publish: (message) => publisher.publish(message),
        tail: () => publisher.tail(stream),
        messageAt: (sequence) => publisher.messageAt(sequence),
      },
      log,
      sweepAfterMs: options.sweepAfterMs ?? 2000,
      isOtherActive: (workspaceId) =>
        options.callers?.isOtherActive(encodeId('workspace', workspaceId), performance.now()) ??
        false,
      onPublished: (count, way) => published.inc({ way }, count),
    });
    this.#observeDepth(metrics);
    this.#unlisten = link.onChange((up) => {
      this.#relay.linkChanged(up);
      if (up) this.#run(this.#reconcile());
    });
    this.#every(sweepEveryMs, () => this.#sweepOrReconcile());
    this.#stopRetention = startRetention(options, {
      task: 'outbox',
      everyMs: purgeEveryMs,
      run: () => this.purge(options.keepSeconds ?? 86_400),
    });
  }

  static async open(options: OutboxOptions): Promise<Outbox> {
    const outbox = new Outbox(options);
    await outbox.#reconcile();
    return outbox;
  }

  /** Maximum size of the events before the last one of a row, for statements that write rows: see `rowsOf`. */
  get rowBytesMax(): number {
    return this.#relay.isBatching ? rowBytesMax : 1;
  }

  /** Writes rows in the transaction of the session, and publishes them after the commit. */
  async add(session: Session, rows: readonly OutboxRow[]): Promise<void> {
    if (rows.length === 0) return;
    await session.query(this.#sql.insert, insertValues(rows));
    session.afterCommit(() => this.publish(rows));
  }

  /** Publishes rows that are committed. Returns immediately; failed ones are left to the sweeper. */
  publish(rows: readonly OutboxRow[]): void {
    if (this.#stopped) return;
    this.#relay.publish(rows);
    this.#markSoon();
  }

  /** Publishes queued events and marks acknowledged ones. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unlisten();
    this.#stopRetention();
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#markTimer);
    await this.#relay.drain();
    await Promise.allSettled(this.#background);
    await this.#relay.mark();
  }

  /** Deletes published rows older than this. Runs automatically every minute. */
  async purge(keepSeconds: number): Promise<void> {
    for (;;) {
      const gone = await this.#options.database.query(this.#sql.purge, [keepSeconds, purgeRowsMax]);
      if (gone.length < purgeRowsMax || this.#stopped) return;
    }
  }

  /** Marks until every published event is marked. Without events no timer runs. */
  #markSoon(): void {
    this.#markTimer ??= setTimeout(() => {
      this.#run(
        this.#relay.mark().then(() => {
          this.#markTimer = undefined;
          if (!this.#relay.isIdle && !this.#stopped) this.#markSoon();
        }),
      );
    }, markAfterMs);
  }

  async #sweepOrReconcile(): Promise<void> {
    if (!this.#relay.isOpen || performance.now() >= this.#reconcileAt) await this.#reconcile();
    if (this.#relay.isOpen) await this.#sweep();
  }

  #sweep(): Promise<void> {
    return this.#relay.sweep(() => !this.#stopped);
  }

  /** Enables publishing and, if required, compares the outbox with the stream in the background. */
  async #reconcile(): Promise<void> {
    const { link, reconcileEveryMs = 60_000 } = this.#options;
    if (!link.up) return;
    this.#reconcileAt = performance.now() + reconcileEveryMs;
    const wasOpen = this.#relay.isOpen;
    try {
      const result = await this.#relay.reconcile();
      if (result === 'elsewhere') this.#reconcileAt = 0;
      else if (result !== 'agreed') this.#run(this.#compare(result));
    } catch (error) {
      this.#reconcileAt = 0;
      this.#reconcileFailures.warn(error);
      return;
    }
    if (!wasOpen && this.#relay.isOpen) this.#run(this.#sweep());
  }

  async #compare(comparison: Comparison): Promise<void> {
    try {
      const { lost, after } = await comparison.run(() => !this.#stopped);
      if (lost === 0) return;
      this.#lost.inc(lost);
      this.#options.log.warn(
        { events: lost, after },
        'the stream lost its latest messages; publishing events again',
      );
    } catch (error) {
      this.#reconcileAt = 0;
      this.#reconcileFailures.warn(error);
    }
  }

  /** Runs `work` periodically, never concurrently. */
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
      .catch((error: unknown) => this.#taskFailures.warn(error))
      .finally(() => this.#background.delete(settled));
    this.#background.add(settled);
  }

  #observeDepth(metrics: Registry): void {
    const { database } = this.#options;
    const read = async () => {
      const [row] = await database.query<{ count: string; age: string }>(this.#sql.depth, []);
      return { count: Number(row!.count), age: Number(row!.age) };
    };
    observeTogether(metrics, read, {
      count: [
        'roster_outbox_events',
        'Rows not yet published: the events of a write and workspace.',
      ],
      age: ['roster_outbox_oldest_seconds', 'Age of the oldest unpublished event.'],
    });
  }
}
