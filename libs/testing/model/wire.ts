/** The part of fast-check's scheduler that is used: it decides when each step happens. */
interface Scheduler {
  schedule<T>(task: Promise<T>, label?: string): Promise<T>;
}

/**
 * The connection of a process to a server. A request arrives at some time, takes effect atomically, and is answered later.
 * The scheduler decides when, and what happens in between.
 */
export class Wire {
  readonly #scheduler: Scheduler;
  readonly #name: string;
  #broken = Promise.withResolvers<never>();
  #isUp = true;
  #isDead = false;
  #stallsNext: 'request' | 'answer' | undefined;
  readonly #stalled: (() => void)[] = [];

  constructor(scheduler: Scheduler, name: string) {
    this.#scheduler = scheduler;
    this.#name = name;
    this.#broken.promise.catch(() => undefined);
  }

  /** Rejects if the connection is lost before the answer. The request may have taken effect, or may still do so. */
  async send<T>(what: string, effect: () => T): Promise<T> {
    if (this.#isDead) return new Promise<never>(() => undefined);
    if (!this.#isUp) throw new Error('no connection');
    const answer = this.#travel(what, effect);
    answer.catch(() => undefined);
    return Promise.race([answer, this.#broken.promise]);
  }

  async #travel<T>(what: string, effect: () => T): Promise<T> {
    const stalls = this.#stallsNext;
    this.#stallsNext = undefined;
    if (stalls === 'request') await this.#resumed();
    await this.#scheduler.schedule(Promise.resolve(), `${this.#name}: ${what}`);
    const result = effect();
    if (stalls === 'answer') await this.#resumed();
    await this.#scheduler.schedule(Promise.resolve(), `${this.#name}: answer to ${what}`);
    return this.#isDead ? new Promise<never>(() => undefined) : result;
  }

  /** The next request is delayed, on its way there or back, at least until `resume`. Later requests may overtake it. */
  stallNext(way: 'request' | 'answer'): void {
    this.#stallsNext = way;
  }

  #resumed(): Promise<void> {
    return new Promise((resolve) => this.#stalled.push(resolve));
  }

  resume(): void {
    this.#stallsNext = undefined;
    for (const resolve of this.#stalled.splice(0)) resolve();
  }

  /** Returns a function that reports whether the present connection is still open on the side of the server. */
  session(): () => boolean {
    const broken = this.#broken;
    return () => this.#broken === broken && this.#isUp && !this.#isDead;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  break(): void {
    this.#isUp = false;
    this.#broken.reject(new Error('the connection broke'));
  }

  restore(): void {
    if (this.#isUp) return;
    this.#isUp = true;
    this.#broken = Promise.withResolvers<never>();
    this.#broken.promise.catch(() => undefined);
  }

  /** The process died: it receives no more answers. */
  cut(): void {
    this.#isDead = true;
  }
}
