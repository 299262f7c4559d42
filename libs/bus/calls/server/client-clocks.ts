/** A smaller difference is time in transit. */
const differenceMsMin = 2000;
/** For how long the differences of a client are remembered, at least; at most twice as long. */
const windowMs = 300_000;
/** The difference of a client is known when its first batch was received this long ago: all batches of a pause arrive at once. */
const confirmMs = 5000;
/** Maximum number of clients that are remembered. Those beyond it never become known. */
const clientsMax = 1000;

/** Smallest differences of a client, in milliseconds. */
interface Client {
  /** When its first batch was received. */
  since: number;
  current: number;
  previous: number;
}

const leastOf = ({ current, previous }: Client): number => Math.min(current, previous);

/**
 * How far the clock of this process is ahead of the clocks of its clients. The time of receipt minus the time of sending is that
 * difference plus the time in transit; the smallest of the last minutes therefore has almost no time in transit. A batch that was
 * delayed, because a process, NATS or a link was paused, differs more than those before it, and its deadlines remain in the past:
 * it must not be applied after its callers were answered.
 *
 * The first batches of a client may all be delayed. They are therefore read as if its clock was that of a known client, if that
 * leaves them a time in transit that is not negative.
 */
export class ClientClocks {
  readonly #clients = new Map<string, Client>();
  #rotatedAt = -Infinity;

  /**
   * Takes a batch into account.
   *
   * @param clock the name of its clock
   * @param sentAt by the client's clock
   * @param receivedAt by the clock of this process
   * @returns milliseconds to add to the deadlines of the batch
   */
  aheadMs(clock: string, sentAt: number, receivedAt: number): number {
    this.#rotate(receivedAt);
    const client = this.#clientOf(clock, receivedAt);
    client.current = Math.min(client.current, receivedAt - sentAt);
    const least = leastOf(client);
    const isKnown = receivedAt - client.since >= confirmMs;
    const ahead = isKnown ? least : (this.#likeliest(least, receivedAt) ?? least);
    return Math.abs(ahead) < differenceMsMin ? 0 : ahead;
  }

  #clientOf(clock: string, now: number): Client {
    const known = this.#clients.get(clock);
    if (known) return known;
    const client = { since: now, current: Infinity, previous: Infinity };
    if (this.#clients.size < clientsMax) this.#clients.set(clock, client);
    return client;
  }

  /** The greatest difference of a known client that leaves a time in transit that is not negative. */
  #likeliest(least: number, now: number): number | undefined {
    const known = [...this.#clients.values()]
      .filter(({ since }) => now - since >= confirmMs)
      .map(leastOf)
      .filter((difference) => difference <= least + differenceMsMin);
    return known.length === 0 ? undefined : Math.max(...known);
  }

  #rotate(now: number): void {
    if (now - this.#rotatedAt < windowMs) return;
    for (const [clock, client] of this.#clients) {
      client.previous = now - this.#rotatedAt < 2 * windowMs ? client.current : Infinity;
      client.current = Infinity;
      if (client.previous === Infinity) this.#clients.delete(clock);
    }
    this.#rotatedAt = now;
  }
}
