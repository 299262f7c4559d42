interface Message {
  sequence: number;
  event: string;
  /** The outbox published it again. */
  republished: boolean;
  isAcknowledged: boolean;
  /** Delivered, and not given back. */
  isOut: boolean;
  /** How often this consumer delivered it. */
  deliveries: number;
}

/** A message as the consumer delivers it. */
export interface Delivered {
  sequence: number;
  event: string;
  republished: boolean;
  redelivered: boolean;
}

/** A stream and its consumer in memory. Messages that are not acknowledged are delivered again. */
export class ModelStream {
  readonly problems: string[] = [];
  #messages: Message[] = [];
  #last = 0;
  /** Number of the server's starts, and of the consumer's creations. */
  #server = 1;
  #consumer = 1;
  /** Lost messages that the outbox has not yet published again. */
  readonly #lost = new Set<string>();
  readonly #isRecorded: (event: string) => boolean;

  /** @param isRecorded whether every delivery of an event has an outcome */
  constructor(isRecorded: (event: string) => boolean) {
    this.#isRecorded = isRecorded;
  }

  get last(): number {
    return this.#last;
  }

  get server(): number {
    return this.#server;
  }

  get consumer(): number {
    return this.#consumer;
  }

  publish(event: string, republished = false): void {
    this.#lost.delete(event);
    this.#last += 1;
    this.#messages.push({
      ...{ sequence: this.#last, event, republished },
      ...{ isAcknowledged: false, isOut: false, deliveries: 0 },
    });
  }

  next(max: number): Delivered[] {
    const ready = this.#messages.filter(({ isAcknowledged, isOut }) => !isAcknowledged && !isOut);
    return ready.slice(0, max).map((message) => {
      message.isOut = true;
      message.deliveries += 1;
      const { sequence, event, republished, deliveries } = message;
      return { sequence, event, republished, redelivered: deliveries > 1 };
    });
  }

  /** An acknowledgement contains only a sequence. NATS ignores those of messages that are not out. */
  acknowledge(sequence: number): void {
    const message = this.#at(sequence);
    if (!message?.isOut) return;
    if (!this.#isRecorded(message.event))
      this.problems.push(`${message.event} was acknowledged before it was recorded`);
    message.isAcknowledged = true;
  }

  giveBack(sequence: number): void {
    const message = this.#at(sequence);
    if (message) message.isOut = false;
  }

  /** The ack wait of all delivered messages ends, except of some. */
  expire(handled: ReadonlySet<string>): void {
    for (const message of this.#messages) if (!handled.has(message.event)) message.isOut = false;
  }

  /** The consumer was deleted and created again, without its acknowledgements. */
  recreateConsumer(): void {
    this.#consumer += 1;
    for (const message of this.#messages)
      Object.assign(message, { isAcknowledged: false, isOut: false, deliveries: 0 });
  }

  /** The server restarts without the newest messages and without the state of the consumer. Returns the lost events. */
  loseTail(count: number): string[] {
    this.#server += 1;
    const lost = this.#messages.splice(-count);
    this.#last -= lost.length;
    this.recreateConsumer();
    for (const { event } of lost) this.#lost.add(event);
    return lost.map(({ event }) => event);
  }

  get open(): string[] {
    const messages = this.#messages.filter(({ isAcknowledged }) => !isAcknowledged);
    return [...messages.map(({ event }) => event), ...this.#lost];
  }

  #at(sequence: number): Message | undefined {
    return this.#messages.find((message) => message.sequence === sequence);
  }
}
