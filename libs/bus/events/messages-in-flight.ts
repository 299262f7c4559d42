import type { JsMsg } from 'nats';

interface Entry {
  message: JsMsg;
  /** Number of its events. */
  count: number;
  /** Its size. */
  bytes: number;
  /** Resolves with whether the message was handled. */
  settled: Promise<boolean>;
}

export interface InFlightLimits {
  /** No further message is started while those in flight have this number of events. */
  inFlightMax: number;
  /** No further message is started while those in flight have this number of bytes. */
  inFlightBytesMax?: number;
}

const bytesMaxDefault = 32 * 1024 * 1024;

/** The messages that a process handles, by ID. */
export class MessagesInFlight {
  readonly #limits: InFlightLimits;
  readonly #entries = new Map<string, Entry>();
  #events = 0;
  #bytes = 0;

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  /** Number of events. */
  get events(): number {
    return this.#events;
  }

  get isFull(): boolean {
    const { inFlightMax, inFlightBytesMax = bytesMaxDefault } = this.#limits;
    return this.#events >= inFlightMax || this.#bytes >= inFlightBytesMax;
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  all(): Iterable<Entry> {
    return this.#entries.values();
  }

  /** Adds a message until it settles, and then calls `onSettled`. Replaces one with the same ID. */
  add(id: string, entry: Entry, onSettled: () => void): void {
    this.#entries.set(id, entry);
    this.#events += entry.count;
    this.#bytes += entry.bytes;
    void entry.settled.then(() => {
      this.#events -= entry.count;
      this.#bytes -= entry.bytes;
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
      onSettled();
    });
  }
}
