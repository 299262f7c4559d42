/** A connection that is kept alive, or one that is opened for the request. */
export type Connection = 'kept' | 'fresh';

/** A request whose first attempt did not have the expected outcome. */
export interface Failure {
  at: string;
  operation: string;
  connection: Connection;
  /** A status, or the error of the connection. */
  outcome: string;
  ms: number;
}

/** The outcomes of the requests that were started in a phase. */
export interface PhaseSummary {
  name: string;
  seconds: number;
  requests: number;
  /** Requests that were due, but not sent because too many were unanswered. */
  unsent: number;
  failures: Failure[];
  /** Requests that never had the expected outcome, although they were repeated. */
  unresolved: number;
  p99Ms: number;
  slowestMs: number;
}

/** The requests that were started between two disturbances, and their outcomes. */
export class Phase {
  inFlight = 0;
  unsent = 0;
  unresolved = 0;
  readonly #name: string;
  readonly #startedAt = performance.now();
  readonly #latencies: number[] = [];
  readonly #failures: Failure[] = [];
  #settled: () => void = () => undefined;

  constructor(name: string) {
    this.#name = name;
  }

  start(): () => void {
    this.inFlight += 1;
    return () => {
      this.inFlight -= 1;
      if (this.inFlight === 0) this.#settled();
    };
  }

  record(ms: number): void {
    this.#latencies.push(ms);
  }

  fail({ operation, connection, outcome, ms }: Omit<Failure, 'at'>): void {
    const at = new Date(Date.now() - ms).toISOString();
    this.#failures.push({ at, operation, connection, outcome, ms });
  }

  async end(): Promise<PhaseSummary> {
    const seconds = Math.round((performance.now() - this.#startedAt) / 100) / 10;
    if (this.inFlight > 0) await new Promise<void>((resolve) => (this.#settled = resolve));
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    return {
      name: this.#name,
      seconds,
      requests: sorted.length,
      unsent: this.unsent,
      failures: this.#failures,
      unresolved: this.unresolved,
      p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
      slowestMs: sorted.at(-1) ?? 0,
    };
  }
}
