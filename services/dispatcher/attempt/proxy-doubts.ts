import { LRUCache } from 'lru-cache';

const hostsMax = 10_000;
const secondsMax = 30;

interface Doubt {
  /** As `performance.now()`. */
  at: number;
  count: number;
}

interface Opening {
  host: string;
  at: number;
}

/**
 * Failures that may be those of the proxy or of the receiver. The first one of a host is never counted. Later ones are, if something
 * shows that the proxy worked in between.
 */
export class ProxyDoubts {
  readonly #doubts = new LRUCache<string, Doubt>({ max: hostsMax });
  /** The last tunnel, and the last one to another host than that. */
  #last: Opening | undefined;
  #lastOther: Opening | undefined;

  /** A tunnel to the host was opened. */
  opened(host: string, at = performance.now()): void {
    if (this.#last && this.#last.host !== host) this.#lastOther = this.#last;
    this.#last = { host, at };
  }

  /** The host has answered. */
  answered(host: string): void {
    this.#doubts.delete(host);
  }

  /** The proxy opened no tunnel. @returns whether that is the receiver's failure: since the last one, tunnels to others were opened */
  notOpened(host: string, at = performance.now()): boolean {
    const other = this.#last?.host === host ? this.#lastOther : this.#last;
    return this.#note(host, at, (doubt) => other !== undefined && other.at > doubt.at);
  }

  /** The tunnel was closed. @returns whether that is the receiver's failure: the last one failed too, and this one was opened since */
  closed(host: string, at = performance.now()): boolean {
    return this.#note(host, at, () => true);
  }

  /** Seconds until the host is tried again, longer after each failure that was not counted. */
  secondsOf(host: string): number {
    return Math.min(secondsMax, 2 ** ((this.#doubts.get(host)?.count ?? 1) - 1));
  }

  #note(host: string, at: number, isShown: (doubt: Doubt) => boolean): boolean {
    const doubt = this.#doubts.get(host);
    const isOfReceiver = doubt !== undefined && isShown(doubt);
    this.#doubts.set(host, { at, count: isOfReceiver ? 0 : (doubt?.count ?? 0) + 1 });
    return isOfReceiver;
  }
}
