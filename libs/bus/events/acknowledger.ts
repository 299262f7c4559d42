import type { JsMsg } from 'nats';
import type { Link } from '../link.js';

/** Acknowledgements are collected for this long and sent with one system call, and with one for NATS. */
const flushEveryMs = 10;

/** A message, and the attachment of the consumer that delivered it. */
export interface Delivered {
  message: JsMsg;
  attachment: number;
}

/**
 * Sends acknowledgements to NATS, without confirmation. An event whose acknowledgement is lost is delivered again, marked as
 * possibly handled. Nothing is sent while the connection is down, nor for messages of an earlier attachment: an
 * acknowledgement contains only a sequence, at which a stream that lost its end now has another event.
 */
export class Acknowledger {
  readonly #link: Pick<Link, 'up'>;
  /** Handled; acknowledged with the next flush. */
  #handled: JsMsg[] = [];
  /** Given back after reconnection. */
  readonly #owed = new Set<JsMsg>();
  #attachment = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(link: Pick<Link, 'up'>) {
    this.#link = link;
  }

  /** Number of the current attachment, see `forget`. */
  get attachment(): number {
    return this.#attachment;
  }

  /** Acknowledges a handled message. */
  acknowledge({ message, attachment }: Delivered): void {
    if (!this.#link.up || attachment !== this.#attachment) return;
    this.#handled.push(message);
    this.#timer ??= setTimeout(() => this.flush(), flushEveryMs);
  }

  /** Has a message that was not handled delivered again after this delay. */
  giveBack({ message }: Pick<Delivered, 'message'>, delayMs: number): void {
    // At worst, another event is delivered again.
    if (this.#link.up) message.nak(delayMs);
    else this.#owed.add(message);
  }

  /** Reports a message that can never be handled. It is not delivered again. */
  terminate({ message, attachment }: Delivered, reason: string): void {
    if (this.#link.up && attachment === this.#attachment) message.term(reason);
  }

  /** Sends the collected acknowledgements. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const handled = this.#handled;
    this.#handled = [];
    for (const message of handled) message.ack();
  }

  /**
   * The connection was lost or restored, or the consumer attached again. Events without a sent acknowledgement are delivered
   * again.
   */
  forget(): void {
    this.#attachment += 1;
    this.#handled = [];
  }

  /** The consumer attached again: gives back the messages that could not be given back during the outage. */
  giveBackOwed(): void {
    for (const message of this.#owed) message.nak();
    this.#owed.clear();
  }
}
