import { FailureLog } from '@roster/bus';
import type { Log } from '@roster/service';
import type { Attempt } from '../attempt/attempt.js';
import type { Delivery, DeliveryStatus } from './delivery.js';

/** What is to be recorded of a delivery. */
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

export interface RecorderOptions {
  /** Commits a batch, or rejects and has written nothing of it that would keep its deliveries from coming again. */
  write: (outcomes: readonly Outcome[]) => Promise<void>;
  /** Adds the attempts of a batch to the statistics. */
  count: (outcomes: readonly Outcome[]) => Promise<void>;
  log: Pick<Log, 'warn'>;
}

interface Entry {
  outcome: Outcome;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const flushEveryMs = 20;
const flushMax = 500;
/** Flushes in flight at once. */
const inFlightMax = 2;

/** Collects outcomes and writes them in batches: one statement for many. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #countFailures: FailureLog;
  #entries: Entry[] = [];
  #inFlight = 0;
  #failing = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#countFailures = new FailureLog(options.log, 'failed to count attempts');
  }

  /** Whether the last batch could not be written. */
  get failing(): boolean {
    return this.#failing;
  }

  /** Resolves when the outcome is committed. Rejects when it is not: the event, or the lease, brings the delivery again. */
  record(outcome: Outcome): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#entries.push({ outcome, resolve, reject });
      if (this.#entries.length >= flushMax) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), flushEveryMs);
    });
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#entries.length === 0 || this.#inFlight >= inFlightMax) return;
    const entries = this.#entries.splice(0, flushMax);
    this.#inFlight += 1;
    this.#write(entries.map(({ outcome }) => outcome))
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

  async #write(outcomes: readonly Outcome[]): Promise<void> {
    const { write, count } = this.#options;
    await write(outcomes);
    // Statistics that are lost with PostgreSQL must not have deliveries sent twice.
    await count(outcomes).catch((error: unknown) => {
      this.#countFailures.warn(error);
    });
  }
}
