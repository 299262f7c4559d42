import type { JsMsg } from 'nats';
import type { Link } from '../link.js';

/** Acknowledgements are sent together: one system call here and one in NATS for all of this time. */
const flushEveryMs = 10;

/**
 * Tells NATS what became of messages. Unconfirmed: an event whose acknowledgement is lost comes again, as one that may have been
 * handled. Nothing is told while the link is down.
 */
export class Acknowledger {
  readonly #link: Link;
  /** Handled, and soon acknowledged. */
  #handled: JsMsg[] = [];
  /** To be given back once the link stands again. */
  readonly #owed = new Set<JsMsg>();
  #timer: NodeJS.Timeout | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  /** The message was handled. */
  acknowledge(message: JsMsg): void {
    if (!this.#link.up) return;
    this.#handled.push(message);
    this.#timer ??= setTimeout(() => this.flush(), flushEveryMs);
  }

  /** The message was not handled, and is delivered again after this time. */
  giveBack(message: JsMsg, delayMs: number): void {
    if (this.#link.up) message.nak(delayMs);
    else this.#owed.add(message);
  }

  /** Sends what is handled now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const handled = this.#handled;
    this.#handled = [];
    for (const message of handled) message.ack();
  }

  /** The link broke or returned. Should NATS have lost its state, an acknowledgement kept here would be another event's. */
  forget(): void {
    this.#handled = [];
  }

  /** The consumer is attached again: gives back what could not be given back meanwhile. */
  giveBackOwed(): void {
    for (const message of this.#owed) message.nak();
    this.#owed.clear();
  }
}
