/** A smaller difference is time in transit. */
const differenceMsMin = 2000;
/** For how long the differences of a client are remembered, at least; at most twice as long. */
const windowMs = 300_000;
/** Maximum number of clients in a window. Those beyond it are taken to have the same clock. */
const clientsMax = 10_000;

/**
 * How far the clock of this process is ahead of the clocks of its clients. The time of receipt minus the time of sending is that
 * difference plus the time in transit; the smallest of the last minutes therefore has almost no time in transit. A batch that was
 * delayed, because a process, NATS or a link was paused, differs more than those before it, and its deadlines remain in the past:
 * it must not be applied after its callers were answered.
 */
export class ClientClocks {
  #current = new Map<string, number>();
  #previous = new Map<string, number>();
  #rotatedAt = -Infinity;

  /**
   * Takes a batch into account.
   *
   * @param client the inbox of the client
   * @param sentAt by the client's clock
   * @param receivedAt by the clock of this process
   * @returns milliseconds to add to the deadlines of the batch
   */
  aheadMs(client: string, sentAt: number, receivedAt: number): number {
    this.#rotate(receivedAt);
    const known = this.#current.get(client);
    const difference = Math.min(receivedAt - sentAt, known ?? Infinity);
    if (known !== difference && (known !== undefined || this.#current.size < clientsMax))
      this.#current.set(client, difference);
    const least = Math.min(difference, this.#previous.get(client) ?? Infinity);
    return Math.abs(least) < differenceMsMin ? 0 : least;
  }

  #rotate(now: number): void {
    if (now - this.#rotatedAt < windowMs) return;
    this.#previous = now - this.#rotatedAt < 2 * windowMs ? this.#current : new Map();
    this.#current = new Map();
    this.#rotatedAt = now;
  }
}
