/** How long a request waits for a place before it may be refused. */
const patienceMs = 50;
const tickMs = 10;
/** Refusals per tick: a refusal costs nearly what an answer does, and what is spent on them is missing for answers. */
const refusalsPerTick = 20;
/** Requests that may wait; further ones are refused at once. */
const waitingMax = 10_000;

interface Waiting {
  since: number;
  admit: (admitted: boolean) => void;
}

/**
 * Who is worked on, when there is more than can be: at most so many at once, the others wait in line. From the front of it
 * places are filled as they become free, and refusals given at a bounded rate, so that a flood of requests neither piles up nor
 * takes the time of those that are answered. Clients that get no answer yet send no further request on that connection.
 */
export class Admission {
  readonly #placesMax: number;
  readonly #waiting: (Waiting | undefined)[] = [];
  /** Those before it in the line are gone. */
  #front = 0;
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
  }

  /** Places in use. */
  get taken(): number {
    return this.#taken;
  }

  /** Takes a place, if there is one: then `leave` gives it back. */
  enter(): boolean {
    if (this.#taken >= this.#placesMax) return false;
    this.#taken += 1;
    return true;
  }

  /** Waits in line for a place. Resolves with whether there was one. */
  wait(): Promise<boolean> {
    if (this.#waiting.length - this.#front >= waitingMax) return Promise.resolve(false);
    this.#timer ??= setInterval(() => this.#refuse(), tickMs);
    return new Promise((admit) => this.#waiting.push({ since: performance.now(), admit }));
  }

  leave(): void {
    const next = this.#next();
    if (next) next.admit(true);
    else this.#taken -= 1;
  }

  #refuse(): void {
    const before = performance.now() - patienceMs;
    for (let count = 0; count < refusalsPerTick; count += 1) {
      const first = this.#waiting[this.#front];
      if (!first || first.since > before) break;
      this.#next()!.admit(false);
    }
    if (this.#front < this.#waiting.length) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #next(): Waiting | undefined {
    const next = this.#waiting[this.#front];
    if (!next) return undefined;
    this.#waiting[this.#front] = undefined;
    this.#front += 1;
    // Seldom, for it moves all that wait.
    if (this.#front === this.#waiting.length || this.#front >= waitingMax) {
      this.#waiting.splice(0, this.#front);
      this.#front = 0;
    }
    return next;
  }
}
