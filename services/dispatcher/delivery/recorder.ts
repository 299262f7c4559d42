import { FailureLog, isolateFailures } from '@roster/bus';
import type { Log } from '@roster/process';
import { LRUCache } from 'lru-cache';
import { bodyOf, type Delivery, type Outcome } from './delivery.js';

export interface RecorderOptions {
  /** Commits a batch. After a rejection, a part of it may be written. Writing an outcome twice changes nothing. */
  write: (outcomes: readonly Outcome[]) => Promise<void>;
  /** Adds the attempts of a batch to the statistics. */
  count: (outcomes: readonly Outcome[]) => Promise<void>;
  /** Called with the outcomes of a batch that were written. */
  onRecorded?: (outcomes: readonly Outcome[]) => void;
  log: Pick<Log, 'warn'>;
}

interface Entry {
  outcome: Outcome;
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface Failure {
  error: unknown;
}

const flushEveryMs = 20;
const flushMax = 500;
/** A flush ends with the outcome whose body brings its bodies to this number of characters. */
const flushBodiesMax = 4 * 1024 * 1024;
/** Flushes in flight at once. */
const inFlightMax = 2;
/** Interval of the attempts that are made although recording fails. */
const probeEveryMs = 1000;

/**
 * Collects outcomes and writes them in batches. If a batch fails for another reason than an unavailable database, its outcomes are
 * written one by one, so that an outcome that PostgreSQL rejects does not fail the others.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #countFailures: FailureLog;
  readonly #unrecorded = new UnrecordedOutcomes();
  #entries: Entry[] = [];
  #inFlight = 0;
  #failing = false;
  #timer: NodeJS.Timeout | null = null;
  /** While recording fails, the next attempt that tries whether it works again. */
  #probeAt = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#countFailures = new FailureLog(options.log, 'failed to count attempts');
  }

  /** Whether no outcome of the last batch could be written. */
  get failing(): boolean {
    return this.#failing;
  }

  /** Resolves when the outcome is committed. Otherwise rejects: the delivery comes again, with its event or after its lease. */
  record(outcome: Outcome): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#entries.push({ outcome, resolve, reject });
      if (this.#entries.length >= flushMax) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), flushEveryMs);
    });
  }

  /**
   * Whether deliveries should wait, because the outcomes of their attempts could be neither recorded nor kept: they would be sent
   * again and again. Those with a kept outcome need no attempt. Others are let through once per second, as probes: the deliveries of
   * the kept outcomes may have come again to another process.
   */
  shouldWait(deliveries: readonly Delivery[]): boolean {
    if (!this.#failing || !this.#unrecorded.isCrowded) return false;
    if (deliveries.every((delivery) => this.#unrecorded.has(delivery))) return false;
    const now = performance.now();
    if (now < this.#probeAt) return true;
    this.#probeAt = now + probeEveryMs;
    return false;
  }

  /** The outcome of an attempt at this delivery that this process made and could not record. Returned once. */
  unrecordedOutcome(delivery: Delivery): Outcome | undefined {
    return this.#unrecorded.remove(delivery);
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#entries.length === 0 || this.#inFlight >= inFlightMax) return;
    const entries = this.#entries.splice(0, this.#flushLength());
    this.#inFlight += 1;
    void this.#write(entries).then(() => {
      this.#inFlight -= 1;
      this.#flush();
    });
  }

  /** How many of the entries the next flush writes. */
  #flushLength(): number {
    const lengthMax = Math.min(flushMax, this.#entries.length);
    let length = 0;
    for (let bodies = 0; length < lengthMax && bodies < flushBodiesMax; length += 1)
      bodies += bodyOf(this.#entries[length]!.outcome.delivery).length;
    return length;
  }

  async #write(entries: Entry[]): Promise<void> {
    const { write, count, onRecorded } = this.#options;
    const failures = await isolateFailures<Entry, Failure | undefined>(
      entries,
      async (some) => {
        await write(some.map(({ outcome }) => outcome));
        return some.map(() => undefined);
      },
      (error) => ({ error }),
    );
    const recorded = entries.filter((_, index) => !failures[index]).map(({ outcome }) => outcome);
    this.#failing = recorded.length === 0;
    // The outcomes count without their statistics: otherwise their deliveries would be sent twice.
    await count(recorded).catch((error: unknown) => {
      this.#countFailures.warn(error);
    });
    onRecorded?.(recorded);
    for (const [index, { outcome, resolve, reject }] of entries.entries()) {
      const failure = failures[index];
      if (!failure) {
        resolve();
        continue;
      }
      this.#unrecorded.keep(outcome);
      reject(failure.error);
    }
  }
}

/** About as many as events may be in flight in one process. */
const keptMax = 1024;
/** From this number on, attempts in flight could exceed the limit. */
const crowdedMin = keptMax / 2;

/**
 * Outcomes of attempts that could not be recorded. When such a delivery comes again, its outcome is recorded instead of sending
 * it a second time. Above a limit, the oldest are dropped, and their deliveries are sent again.
 */
export class UnrecordedOutcomes {
  readonly #kept = new LRUCache<string, Outcome>({ max: keptMax });

  keep(outcome: Outcome): void {
    if (outcome.attempt) this.#kept.set(outcome.delivery.id, outcome);
  }

  /** Whether further attempts that cannot be recorded could drop outcomes. */
  get isCrowded(): boolean {
    return this.#kept.size >= crowdedMin;
  }

  has({ id }: Delivery): boolean {
    return this.#kept.has(id);
  }

  /** Removes and returns the outcome of the attempt for which the delivery comes again. That of an earlier attempt is dropped. */
  remove(delivery: Delivery): Outcome | undefined {
    const kept = this.#kept.get(delivery.id);
    if (!kept) return undefined;
    this.#kept.delete(delivery.id);
    const { attempts, trigger, ownBody } = kept.delivery;
    if (attempts !== delivery.attempts || trigger !== delivery.trigger) return undefined;
    // A delivery that was claimed again has another lease. If its event was delivered again after the payload of its webhook was
    // changed, it has another body: the one that was sent is kept.
    const { ownBody: _, ...again } = delivery;
    return { ...kept, delivery: { ...again, ...(ownBody !== undefined && { ownBody }) } };
  }
}
