import type { StoredMessage, StreamTail } from '@roster/bus';

/**
 * JetStream in memory: drops duplicates, acknowledges before messages are durable, and loses its latest messages when its
 * server restarts.
 */
export class ModelStream {
  #messages = new Map<number, StoredMessage>();
  #first = 1;
  #last = 0;
  #lastTime = '';
  #clock = 0;
  #life = 0;
  #known = new Map<string, number>();
  /** Expired messages. */
  readonly agedOut = new Set<string>();
  readonly #tellsIncarnation: boolean;

  constructor(tellsIncarnation: boolean) {
    this.#tellsIncarnation = tellsIncarnation;
  }

  store(id: string): number {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const sequence = (this.#last += 1);
    this.#lastTime = `t${(this.#clock += 1)}`;
    this.#messages.set(sequence, { id, time: this.#lastTime });
    this.#known.set(id, sequence);
    return sequence;
  }

  tail(): StreamTail {
    const incarnation = this.#tellsIncarnation ? `life ${this.#life}` : undefined;
    const [first, last, lastTime] = [this.#first, this.#last, this.#lastTime];
    return { created: '', first, last, lastTime, incarnation };
  }

  at(sequence: number): StoredMessage | undefined {
    return this.#messages.get(sequence);
  }

  /** Another server becomes the leader. It lacks the newest messages. */
  restart(lost: number): void {
    this.#life += 1;
    const last = Math.max(this.#first - 1, this.#last - lost);
    for (let sequence = last + 1; sequence <= this.#last; sequence += 1) {
      const { id } = this.#messages.get(sequence)!;
      this.#known.delete(id);
      this.#messages.delete(sequence);
    }
    this.#last = last;
    this.#lastTime = this.#messages.get(last)?.time ?? '';
  }

  /** The deduplication window has passed for all stored messages. */
  forgetRepetitions(): void {
    this.#known.clear();
  }

  /** Messages up to this sequence have expired. */
  age(until: number): void {
    for (; this.#first <= Math.min(until, this.#last); this.#first += 1) {
      this.agedOut.add(this.#messages.get(this.#first)!.id);
      this.#messages.delete(this.#first);
    }
  }

  ids(): Set<string> {
    return new Set([...this.#messages.values()].map(({ id }) => id));
  }
}
