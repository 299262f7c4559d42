import { FailureLog, type EventPublisher, type Link, type StreamOptions } from '@roster/bus';
import { Counter, type Registry } from 'prom-client';
import type { Database, Session } from '../database.js';
import type { Log } from '../log.js';
import { observeTogether } from '../metrics.js';
import { startRetention } from '../retention.js';
import type { OutboxEvent } from './event.js';
import { OutboxPublisher } from './publisher.js';
import { reconcileOutbox } from './reconciliation.js';
import { insertValues, outboxStatements, type OutboxStatements } from './statements.js';
import { sweepOutbox } from './sweeper.js';

export interface OutboxOptions {
  schema: string;
  database: Database;
  publisher: EventPublisher;
  link: Link;
  log: Log;
  metrics: Registry;
  stream: StreamOptions;
  /** How old an unpublished row is before the sweeper takes it. */
  sweepAfterMs?: number;
  sweepEveryMs?: number;
  /** How long published rows stay, to be published again when the stream loses its tail. */
  keepSeconds?: number;
}

const markEveryMs = 20;
const purgeRowsMax = 5000;
const purgeEveryMs = 60_000;

/**
 * Publishes what a service's transactions have written to their outbox: at once after the commit, by the sweeper what a
 * crash left behind, and again what the stream has lost.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #reconcileFailures: FailureLog;
  readonly #taskFailures: FailureLog;
  readonly #sql: OutboxStatements;
  readonly #publisher: OutboxPublisher;
  readonly #published: Counter;
  #stopped = false;
  #timers: NodeJS.Timeout[] = [];
  readonly #background = new Set<Promise<unknown>>();
  readonly #unlisten: () => void;
  readonly #stopRetention: () => void;

  private constructor(options: OutboxOptions) {
    this.#options = options;
    this.#sql = outboxStatements(options.schema);
    const { metrics, link, log, sweepEveryMs = 1000 } = options;
    this.#reconcileFailures = new FailureLog(
      log,
      'failed to compare the outbox with the stream; will retry',
    );
    this.#taskFailures = new FailureLog(log, 'outbox background task failed');
    this.#published = new Counter({
      name: 'roster_outbox_published_total',
      help: 'Events acknowledged by the stream, by publishing path.',
      labelNames: ['way'],
      registers: [metrics],
    });
    this.#publisher = new OutboxPublisher({
      ...options,
      sql: this.#sql,
      onPublished: (count) => this.#published.inc({ way: 'fast' }, count),
    });
    this.#observeDepth(metrics);
    this.#unlisten = link.onChange((up) => {
      this.#publisher.close();
      if (up) this.#run(this.#reconcile());
    });
    this.#every(markEveryMs, () => this.#publisher.mark());
    this.#every(sweepEveryMs, () => (this.#publisher.isOpen ? this.#sweep() : this.#reconcile()));
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

  /** Writes events in the session's transaction, and publishes them once it is committed. */
  async add(session: Session, events: readonly OutboxEvent[]): Promise<void> {
    if (events.length === 0) return;
    await session.query(this.#sql.insert, insertValues(events));
    session.afterCommit(() => this.publish(events));
  }

  /** Publishes events whose rows are committed. Returns at once; what fails here is left to the sweeper. */
  publish(events: readonly OutboxEvent[]): void {
    if (!this.#stopped) this.#publisher.publish(events);
  }

  /** Publishes what is queued, writes down what was acknowledged. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unlisten();
    this.#stopRetention();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#publisher.drain();
    await Promise.allSettled(this.#background);
    await this.#publisher.mark();
  }

  #sweep(): Promise<void> {
    const { database, publisher, sweepAfterMs = 2000 } = this.#options;
    return sweepOutbox({
      database,
      publisher,
      sql: this.#sql,
      afterMs: sweepAfterMs,
      goesOn: () => this.#publisher.isOpen && !this.#stopped,
      onPublished: (count) => this.#published.inc({ way: 'swept' }, count),
    });
  }

  /** Compares the outbox with the stream, and lets events be published again once that is done. */
  async #reconcile(): Promise<void> {
    const { link } = this.#options;
    if (!link.up) return;
    try {
      // A mark that is on its way may be of what the stream has lost: compared is what it leaves.
      await this.#publisher.marking;
      await reconcileOutbox({ ...this.#options, sql: this.#sql });
    } catch (error) {
      this.#reconcileFailures.warn(error);
      return;
    }
    if (!link.up || this.#publisher.isOpen) return;
    this.#publisher.open();
    this.#run(this.#sweep());
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
      count: ['roster_outbox_events', 'Events not yet published.'],
      age: ['roster_outbox_oldest_seconds', 'Age of the oldest unpublished event.'],
    });
  }
}
