import { FailureLog, type EventPublisher } from '@roster/bus';
import type { Database } from '../database.js';
import type { Log } from '../log.js';
import { messageOf, type OutboxEvent } from './event.js';
import { markValues, type Acknowledged, type OutboxStatements } from './statements.js';

/** Events published at once; JetStream acknowledges each. */
const inFlightMax = 128;
/** Events that wait in memory; beyond it they wait in the table, for the sweeper. */
const queuedMax = 10_000;

interface Parts {
  database: Database;
  publisher: EventPublisher;
  log: Log;
  sql: OutboxStatements;
  /** Told of every event whose acknowledgement is written down. */
  onPublished: (count: number) => void;
}

/** Publishes events at once after their commit, and writes down where the stream acknowledged them. */
export class OutboxPublisher {
  readonly #parts: Parts;
  readonly #markFailures: FailureLog;
  readonly #queue: OutboxEvent[] = [];
  #acknowledged: Acknowledged[] = [];
  #inFlight = 0;
  #open = false;
  #marking: Promise<void> = Promise.resolve();
  #idle: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#markFailures = new FailureLog(parts.log, 'failed to mark events as published');
  }

  /** Closed from the loss of the link until it is known whether the stream still holds what it acknowledged. */
  get isOpen(): boolean {
    return this.#open;
  }

  open(): void {
    this.#open = true;
  }

  close(): void {
    this.#open = false;
    // An acknowledgement that was not written down yet may be of a message that NATS has lost: publish it again.
    this.#acknowledged = [];
    // The sweeper has them now.
    this.#queue.length = 0;
  }

  /** Returns at once; what fails here is left to the sweeper. */
  publish(events: readonly OutboxEvent[]): void {
    if (!this.#open) return;
    for (const event of events) {
      if (this.#queue.length >= queuedMax) break;
      this.#queue.push(event);
    }
    this.#pump();
  }

  /** Resolves when nothing is queued and nothing is in flight. */
  async drain(): Promise<void> {
    if (this.#open && (this.#inFlight > 0 || this.#queue.length > 0))
      await new Promise<void>((resolve) => this.#idle.push(resolve));
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
    const { publisher, log } = this.#parts;
    this.#inFlight += 1;
    try {
      const sequence = await publisher.publish(messageOf(event));
      if (this.#open) this.#acknowledged.push({ event, sequence });
    } catch (error) {
      log.debug(
        { err: error, eventId: event.id },
        'publishing failed; the sweeper will publish the event',
      );
    } finally {
      this.#inFlight -= 1;
      this.#pump();
    }
  }

  /** Resolves when what is being written down is written. */
  get marking(): Promise<void> {
    return this.#marking;
  }

  /** Writes down what the stream acknowledged, one statement at a time. */
  mark(): Promise<void> {
    const { database, sql, onPublished } = this.#parts;
    this.#marking = this.#marking.then(async () => {
      const acknowledged = this.#acknowledged;
      if (acknowledged.length === 0) return;
      this.#acknowledged = [];
      onPublished(acknowledged.length);
      await database.query(sql.mark, markValues(acknowledged)).catch((error: unknown) => {
        // The sweeper publishes them once more, and the stream drops the repetition.
        this.#markFailures.warn(error);
      });
    });
    return this.#marking;
  }
}
