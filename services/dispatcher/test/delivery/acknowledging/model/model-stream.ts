interface Message {
  event: string;
  isAcknowledged: boolean;
  /** Delivered, and not given back. */
  isOut: boolean;
  /** It may have been handled: it was delivered before, by this consumer or a former one. */
  isSuspect: boolean;
}

export interface Delivered {
  event: string;
  suspect: boolean;
}

/** A stream and its consumer in memory. Messages that are not acknowledged are delivered again. */
export class ModelStream {
  readonly problems: string[] = [];
  readonly #messages = new Map<string, Message>();
  readonly #isRecorded: (event: string) => boolean;

  /** @param isRecorded whether every delivery of an event has an outcome */
  constructor(isRecorded: (event: string) => boolean) {
    this.#isRecorded = isRecorded;
  }

  publish(event: string): void {
    this.#messages.set(event, {
      ...{ event, isAcknowledged: false, isOut: false, isSuspect: false },
    });
  }

  next(max: number): Delivered[] {
    const ready = [...this.#messages.values()].filter(
      ({ isAcknowledged, isOut }) => !isAcknowledged && !isOut,
    );
    return ready.slice(0, max).map((message) => {
      const suspect = message.isSuspect;
      message.isOut = true;
      message.isSuspect = true;
      return { event: message.event, suspect };
    });
  }

  acknowledge(event: string): void {
    if (!this.#isRecorded(event))
      this.problems.push(`${event} was acknowledged before it was recorded`);
    this.#messages.get(event)!.isAcknowledged = true;
  }

  giveBack(event: string): void {
    this.#messages.get(event)!.isOut = false;
  }

  /** The ack wait of all delivered messages ends, except of some. */
  expire(handled: ReadonlySet<string>): void {
    for (const message of this.#messages.values())
      if (!handled.has(message.event)) message.isOut = false;
  }

  /** The consumer was deleted and created again, without its acknowledgements. */
  recreateConsumer(): void {
    for (const message of this.#messages.values())
      Object.assign(message, { isAcknowledged: false, isOut: false, isSuspect: true });
  }

  get open(): string[] {
    const messages = [...this.#messages.values()];
    return messages.filter(({ isAcknowledged }) => !isAcknowledged).map(({ event }) => event);
  }
}
