import { percentilesOf, type Percentiles } from './latencies.js';

/** What came of the requests of one measurement. */
export interface Outcome {
  seconds: number;
  /** Answered as expected, within the measured time. */
  answered: number;
  perSecond: number;
  latencyMs: Percentiles;
  /** Answered otherwise, by status; 0 stands for closed connections and answers that did not come. */
  otherStatuses: Record<string, number>;
  /** Of answers of 503 and 429. */
  refusalMs: Percentiles;
  /** Requests that were due while every connection was taken, where those are dropped. */
  dropped: number;
  /** How late requests were sent, by the load itself. */
  lagMs: Percentiles;
  /** How many requests were made, those before the measured time included. */
  made: number;
}

/** Counts answers that fall into the measured time. */
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
