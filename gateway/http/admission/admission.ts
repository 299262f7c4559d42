import { Line } from './line.js';

/** How long a request waits for a place before it may be refused. */
const patienceMs = 50;
const tickMs = 10;
/** Refusals per tick: a refusal costs nearly what an answer does, and what is spent on them is missing for answers. */
const refusalsPerTick = 20;
/** Requests that may wait; further ones are refused at once. */
const waitingMax = 10_000;

/** Of a connection, what it takes to leave its next request with the kernel. */
export interface Readable {
  pause(): unknown;
  resume(): unknown;
}

/**
 * Who is worked on, when there is more than can be: at most so many at once, the others wait in line. From the front of it
 * places are filled as they become free, and refusals given at a bounded rate, so that a flood of requests neither piles up nor
 * takes the time of those that are answered. A connection that has had its answer is then read again in its turn only: until
 * then its next request is some bytes in the kernel, where a parsed one would grow old in V8's heap.
 */
export class Admission {
  /** Places in all. */
  readonly placesMax: number;
  readonly #waiting = new Line<(admitted: boolean) => void>();
  readonly #held = new Line<Readable>();
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(placesMax: number) {
    this.placesMax = placesMax;
  }

  /** Places in use. */
  get taken(): number {
    return this.#taken;
  }

  /** Requests that wait for a place. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Takes a place, if there is one: then `leave` gives it back. */
  enter(): boolean {
    if (this.#taken >= this.placesMax) return false;
    this.#taken += 1;
    return true;
  }

  /** Waits in line for a place. Resolves with whether there was one. */
  wait(): Promise<boolean> {
    if (this.#waiting.length >= waitingMax) return Promise.resolve(false);
    this.#tick();
    return new Promise((admit) => this.#waiting.push(admit));
  }

  leave(): void {
    const admit = this.#waiting.take();
    if (admit) return admit(true);
    this.#taken -= 1;
    this.#held.take()?.resume();
  }

  /** After an answer: while others wait, the connection goes to the end of the line too. */
  hold(connection: Readable): void {
    if (this.#waiting.length + this.#held.length === 0) return;
    connection.pause();
    this.#held.push(connection);
    this.#tick();
  }

  /** Reads all connections again, for good. */
  release(): void {
    this.hold = () => {};
    for (let held = this.#held.take(); held; held = this.#held.take()) held.resume();
  }

  #tick(): void {
    this.#timer ??= setInterval(() => {
      for (let count = 0; count < refusalsPerTick; count += 1) {
        if (this.#waiting.waitedMs < patienceMs) break;
        this.#waiting.take()!(false);
      }
      // Those who wait in vain are to be refused too, and not everybody who was let in has something to ask.
      const free = this.placesMax - this.#taken;
      for (
        let count = 0;
        this.#held.length > 0 && count < Math.max(free, refusalsPerTick);
        count += 1
      ) {
        if (count >= free && this.#held.waitedMs < patienceMs) break;
        this.#held.take()?.resume();
      }
      if (this.#waiting.length + this.#held.length > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, tickMs);
  }
}
