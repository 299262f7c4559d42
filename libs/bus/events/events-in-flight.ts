import type { JsMsg } from 'nats';

interface Entry {
  message: JsMsg;
  /** Size of the event. */
  bytes: number;
  /** Resolves with whether the event was handled. */
  settled: Promise<boolean>;
}

export interface InFlightLimits {
  /** Maximum number of events that are handled at once. */
  inFlightMax: number;
  /** No further event is started while those in flight have this number of bytes. */
  inFlightBytesMax?: number;
}

const bytesMaxDefault = 32 * 1024 * 1024;

/** The events that a process handles, by ID. */
export class EventsInFlight {
  readonly #limits: InFlightLimits;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  get isFull(): boolean {
    const { inFlightMax, inFlightBytesMax = bytesMaxDefault } = this.#limits;
    return this.size >= inFlightMax || this.#bytes >= inFlightBytesMax;
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  all(): Iterable<Entry> {
    return this.#entries.values();
  }

  /** Adds an event until it settles, and then calls `onSettled`. Replaces one with the same ID. */
  add(id: string, entry: Entry, onSettled: () => void): void {
    this.#entries.set(id, entry);
    this.#bytes += entry.bytes;
    void entry.settled.then(() => {
      this.#bytes -= entry.bytes;
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
      onSettled();
    });
  }
}
