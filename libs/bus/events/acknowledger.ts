import type { JsMsg } from 'nats';
import type { Link } from '../link.js';

/** Acknowledgements are sent together: one system call here and one in NATS for all of this time. */
const flushEveryMs = 10;

/** A message, and the attachment to the consumer that it came by. */
export interface Delivered {
  message: JsMsg;
  attachment: number;
}

/**
 * Tells NATS what became of messages. Unconfirmed: an event whose acknowledgement is lost comes again, as one that may have been
 * handled. Nothing is told while the link is down, nor of messages of an earlier attachment: an acknowledgement names no more
 * than a sequence, at which a stream that has lost its end holds another event.
 */
export class Acknowledger {
  readonly #link: Link;
  /** Handled, and soon acknowledged. */
  #handled: JsMsg[] = [];
  /** To be given back once the link stands again. */
  readonly #owed = new Set<JsMsg>();
  #attachment = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Of what is delivered from now on, see `forget`. */
  get attachment(): number {
    return this.#attachment;
  }

  /** The message was handled. */
  acknowledge({ message, attachment }: Delivered): void {
    if (!this.#link.up || attachment !== this.#attachment) return;
    this.#handled.push(message);
    this.#timer ??= setTimeout(() => this.flush(), flushEveryMs);
  }

  /** The message was not handled, and is delivered again after this time. */
  giveBack({ message }: Pick<Delivered, 'message'>, delayMs: number): void {
    // At worst another event is delivered again.
    if (this.#link.up) message.nak(delayMs);
    else this.#owed.add(message);
  }

  /** The message can never be handled, and is not delivered again. */
  terminate({ message, attachment }: Delivered, reason: string): void {
    if (this.#link.up && attachment === this.#attachment) message.term(reason);
  }

  /** Sends what is handled now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const handled = this.#handled;
    this.#handled = [];
    for (const message of handled) message.ack();
  }

  /** The link broke or returned, or the consumer is attached again. What was handled and not acknowledged comes again. */
  forget(): void {
    this.#attachment += 1;
    this.#handled = [];
  }

  /** The consumer is attached again: gives back what could not be given back meanwhile. */
  giveBackOwed(): void {
    for (const message of this.#owed) message.nak();
    this.#owed.clear();
  }
}
