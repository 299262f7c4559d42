import { BodyBudget } from './body-budget.js';
import { FifoQueue } from './fifo-queue.js';

/** How long a request is queued before it may be refused. */
const queueTimeoutMs = 50;
const tickMs = 10;
/** A refusal costs nearly as much as a response: without a bound, refusals would take the capacity of responses. */
const refusalsPerTick = 20;
/** Maximum number of queued requests. Further ones are refused immediately. */
const queuedMax = 10_000;

/** A connection, as far as it takes to leave its next request in the kernel's buffer. */
export interface PausableConnection {
  pause(): unknown;
  resume(): unknown;
}

/**
 * Admission control: a bounded number of requests is in flight, further ones are queued for a slot. Slots are given from the
 * front of the queue as they become free, and refusals at a bounded rate, so that excess requests neither pile up nor take the
 * capacity of admitted ones. While requests are queued, connections that had a response are paused and resumed in turn: their
 * next request stays as bytes in the kernel, where a parsed one would grow old on V8's heap.
 */
export class Admission {
  readonly inFlightMax: number;
  readonly bodies = new BodyBudget();
  readonly #requests = new FifoQueue<(admitted: boolean) => void>();
  readonly #paused = new FifoQueue<PausableConnection>();
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(inFlightMax: number) {
    this.inFlightMax = inFlightMax;
  }

  /** Number of requests that hold a slot. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Number of requests queued for a slot. */
  get queued(): number {
    return this.#requests.length;
  }

  /** Takes a free slot, if there is one. `release` returns it. */
  tryAcquire(): boolean {
    if (this.#inFlight >= this.inFlightMax) return false;
    this.#inFlight += 1;
    return true;
  }

  /** Queues for a slot. Resolves with false if the request is refused. */
  acquire(): Promise<boolean> {
    if (this.#requests.length >= queuedMax) return Promise.resolve(false);
    this.#startTimer();
    return new Promise((admit) => this.#requests.push(admit));
  }

  /** Passes the slot to the first queued request, or frees it. */
  release(): void {
    const admit = this.#requests.take();
    if (admit) return admit(true);
    this.#inFlight -= 1;
    this.#paused.take()?.resume();
  }

  /** Called after a response: pauses the connection while others are queued or paused. */
  hold(connection: PausableConnection): void {
    if (this.#requests.length + this.#paused.length === 0) return;
    connection.pause();
    this.#paused.push(connection);
    this.#startTimer();
  }

  /** Resumes all connections, and pauses none from then on. */
  resumeAll(): void {
    this.hold = () => {};
    for (let one = this.#paused.take(); one; one = this.#paused.take()) one.resume();
  }

  #startTimer(): void {
    this.#timer ??= setInterval(() => {
      this.#refuseExpired();
      this.#resumeConnections();
      if (this.#requests.length + this.#paused.length > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, tickMs);
  }

  #refuseExpired(): void {
    for (let count = 0; count < refusalsPerTick; count += 1) {
      if (this.#requests.waitedMs < queueTimeoutMs) return;
      this.#requests.take()!(false);
    }
  }

  /** One per free slot, because resumed connections may be idle; and those paused for too long, so that they can be refused. */
  #resumeConnections(): void {
    const free = this.inFlightMax - this.#inFlight;
    for (let count = 0; count < Math.max(free, refusalsPerTick); count += 1) {
      if (count >= free && this.#paused.waitedMs < queueTimeoutMs) return;
      const connection = this.#paused.take();
      if (!connection) return;
      connection.resume();
    }
  }
}
