import type { Connection } from './connection.js';
import { ConnectionPool } from './connection-pool.js';
import type { LoadRequest, Span } from './load.js';
import { Tally, type Outcome } from './tally.js';

export interface OpenLoopOptions {
  perSecond: number;
  /** Maximum number of open connections. */
  connectionsMax: number;
  /** If all connections are in use, a due request waits, which is part of its latency, or is dropped and counted. */
  whenTaken: 'wait' | 'drop';
}

const responseTimeoutMs = 5000;
const tickMs = 1;

/**
 * Requests that arrive as a Poisson process, independently of earlier responses. Latency is measured from the time at which
 * a request was due: it includes the delay of requests that were due while the server stalled.
 */
export async function openLoop(
  port: number,
  options: OpenLoopOptions,
  next: () => LoadRequest,
  random: () => number,
  span: Span,
): Promise<Outcome> {
  const pool = await ConnectionPool.open(port, options.connectionsMax);
  const startedAt = performance.now();
  const dueTimes = poisson(startedAt, options.perSecond, random);
  const from = startedAt + span.warmSeconds * 1000;
  const arrivals = new Arrivals(pool, options.whenTaken, next, dueTimes, from, span.seconds);
  const timer = setInterval(() => arrivals.sendDue(), tickMs);
  const timeout = setTimeout(() => arrivals.finish(), span.totalMs + responseTimeoutMs);
  await span.run(arrivals.finished);
  clearInterval(timer);
  clearTimeout(timeout);
  pool.close();
  return arrivals.outcome();
}

/** The requests of one measurement, sent when they are due. */
class Arrivals {
  readonly #pool: ConnectionPool;
  readonly #whenTaken: 'wait' | 'drop';
  readonly #next: () => LoadRequest;
  readonly #dueTimes: () => number;
  readonly #from: number;
  readonly #until: number;
  readonly #seconds: number;
  readonly #tally = new Tally();
  readonly #finished = Promise.withResolvers<void>();
  /** Due times of the requests that wait for a connection. */
  readonly #waiting: number[] = [];
  #due: number;
  #unanswered = 0;
  #made = 0;

  constructor(
    pool: ConnectionPool,
    whenTaken: 'wait' | 'drop',
    next: () => LoadRequest,
    dueTimes: () => number,
    from: number,
    seconds: number,
  ) {
    this.#pool = pool;
    this.#whenTaken = whenTaken;
    this.#next = next;
    this.#dueTimes = dueTimes;
    this.#from = from;
    this.#until = from + seconds * 1000;
    this.#seconds = seconds;
    this.#due = dueTimes();
  }

  /** Resolves when every request is answered, or `finish` is called. */
  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  finish(): void {
    this.#finished.resolve();
  }

  sendDue(): void {
    const now = performance.now();
    for (; this.#due <= now && this.#due < this.#until; this.#due = this.#dueTimes()) {
      const connection = this.#pool.take();
      if (connection) this.#send(connection, this.#due, now);
      else if (this.#whenTaken === 'drop' && this.#pool.isFull) this.#drop(this.#due);
      else {
        this.#waiting.push(this.#due);
        this.#addConnection();
      }
    }
    if (this.#due >= this.#until && this.#unanswered === 0 && this.#waiting.length === 0)
      this.finish();
  }

  /** Requests without a response are counted as failed. */
  outcome(): Outcome {
    for (let lost = this.#unanswered; lost > 0; lost -= 1) this.#tally.answered(0, 200, 0);
    return this.#tally.outcome(this.#seconds, this.#made);
  }

  #send(connection: Connection, dueAt: number, now: number): void {
    const { text, status: expected } = this.#next();
    const counts = dueAt >= this.#from;
    this.#made += 1;
    if (counts) {
      this.#unanswered += 1;
      this.#tally.sentLate(now - dueAt);
    }
    connection.send(text, (response) => {
      if (counts) {
        this.#unanswered -= 1;
        this.#tally.answered(response?.status ?? 0, expected, performance.now() - dueAt);
      }
      if (response) this.#reuse(connection);
      else this.#pool.remove(connection);
      this.sendDue();
    });
  }

  #reuse(connection: Connection): void {
    const dueAt = this.#waiting.shift();
    if (dueAt === undefined) this.#pool.release(connection);
    else this.#send(connection, dueAt, performance.now());
  }

  #addConnection(): void {
    if (this.#pool.isFull) return;
    this.#pool
      .add()
      .then((connection) => this.#reuse(connection))
      .catch(() => this.#tally.answered(0, 200, 0));
  }

  #drop(dueAt: number): void {
    if (dueAt >= this.#from) this.#tally.dropped += 1;
  }
}

/** The times of a Poisson process: the intervals between them are independent and exponentially distributed. */
export function poisson(start: number, perSecond: number, random: () => number): () => number {
  let at = start;
  return () => (at += (-Math.log(1 - random()) * 1000) / perSecond);
}
