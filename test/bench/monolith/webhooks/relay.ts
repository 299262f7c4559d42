import type { Logger } from 'pino';
import { Agent } from 'undici';
import type { Database } from '../database.js';
import type { Events } from '../events.js';
import { post, type Delivery, type Outcome } from './post.js';
import { due, record, take } from './statements.js';

export interface RelayOptions {
  /** Length of the first pause between two attempts. */
  retryMs: number;
}

const batchMax = 500;
const takeEveryMs = 20;
const recordEveryMs = 20;
const sweepEveryMs = 1000;
const inFlightMax = 128;
const attemptsMax = 8;

/**
 * Takes events off the outbox in batches and calls the webhooks itself: what a team builds that needs no stream. Batches are taken
 * while there are events; any process takes those of all.
 */
export class Relay implements Events {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #options: RelayOptions;
  readonly #agent = new Agent({ connections: inFlightMax });
  readonly #waiting: Delivery[] = [];
  #inFlight = 0;
  #outcomes: Outcome[] = [];
  #taking: NodeJS.Timeout | undefined;
  #recording: NodeJS.Timeout | undefined;

  constructor(database: Database, log: Logger, options: RelayOptions) {
    this.#database = database;
    this.#log = log;
    this.#options = options;
    this.#sweepSoon();
  }

  publish(): void {
    if (this.#taking) return;
    this.#taking = setTimeout(() => void this.#take(), takeEveryMs);
  }

  async #take(): Promise<void> {
    this.#taking = undefined;
    try {
      const rows = await this.#database.query<Delivery & { taken: number }>(take, [batchMax]);
      this.#send(rows.filter(({ id }) => id !== null));
      if (rows[0]!.taken === batchMax) this.publish();
    } catch (err) {
      this.#log.warn({ err }, 'taking events failed; the sweep will take them');
    }
  }

  /** Events and retries that a process has left. */
  #sweepSoon(): void {
    setTimeout(() => {
      this.publish();
      this.#database
        .query<Delivery>(due, [batchMax])
        .then((rows) => this.#send(rows))
        .catch((err: unknown) => this.#log.warn({ err }, 'reading due deliveries failed'))
        .finally(() => this.#sweepSoon());
    }, sweepEveryMs);
  }

  #send(deliveries: readonly Delivery[]): void {
    this.#waiting.push(...deliveries);
    while (this.#inFlight < inFlightMax && this.#waiting.length > 0)
      void this.#attempt(this.#waiting.shift()!);
  }

  async #attempt(delivery: Delivery): Promise<void> {
    this.#inFlight += 1;
    const outcome = await post(delivery, this.#agent);
    this.#outcomes.push(outcome);
    this.#inFlight -= 1;
    this.#send([]);
    if (this.#recording) return;
    this.#recording = setTimeout(() => void this.#record(), recordEveryMs);
  }

  async #record(): Promise<void> {
    this.#recording = undefined;
    const outcomes = this.#outcomes;
    this.#outcomes = [];
    try {
      await this.#database.query(record, [
        outcomes.map(({ delivery }) => delivery.workspace_id),
        outcomes.map(({ delivery }) => delivery.id),
        outcomes.map(({ status }) => status),
        outcomes.map(({ ms }) => ms),
        outcomes.map(({ error }) => error),
        attemptsMax,
        this.#options.retryMs,
      ]);
    } catch (err) {
      this.#log.warn({ err }, 'recording attempts failed; they will be repeated');
    }
  }
}
