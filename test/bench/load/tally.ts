import { percentilesOf, type Percentiles } from './latencies.js';

/** The results of the requests of one measurement. */
export interface Outcome {
  seconds: number;
  /** Successful responses within the measured time. */
  answered: number;
  perSecond: number;
  latencyMs: Percentiles;
  /** Other responses, by status; 0 stands for closed connections and missing responses. */
  otherStatuses: Record<string, number>;
  /** Latency of 503 and 429 responses. */
  refusalMs: Percentiles;
  /** Requests that were due while all connections were in use, and were dropped. */
  dropped: number;
  /** Lateness of the load generator: time from the due time of a request to its sending. */
  lagMs: Percentiles;
  /** Requests sent, including those before the measured time. */
  made: number;
}

/** Counts the responses of the measured time. */
export class Tally {
  readonly #times: number[] = [];
  readonly #refusals: number[] = [];
  readonly #lags: number[] = [];
  readonly #others: Record<string, number> = {};
  dropped = 0;

  answered(status: number, expected: number, ms: number): void {
    if (status === expected) {
      this.#times.push(ms);
      return;
    }
    this.#others[status] = (this.#others[status] ?? 0) + 1;
    if (status === 503 || status === 429) this.#refusals.push(ms);
  }

  sentLate(ms: number): void {
    this.#lags.push(ms);
  }

  outcome(seconds: number, made: number): Outcome {
    return {
      seconds,
      answered: this.#times.length,
      perSecond: this.#times.length / seconds,
      latencyMs: percentilesOf(this.#times),
      otherStatuses: this.#others,
      refusalMs: percentilesOf(this.#refusals),
      dropped: this.dropped,
      lagMs: percentilesOf(this.#lags),
      made,
    };
  }
}
