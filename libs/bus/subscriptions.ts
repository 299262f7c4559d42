import type { Msg, NatsConnection, Subscription } from 'nats';
import { asErrors, FailureLog } from './failure-log.js';
import type { BusLog } from './observer.js';

/** Interval of the attempts to restore a denied subscription. */
const retryMs = 1000;

export interface SubscribeOptions {
  queue?: string;
  /** What it throws is logged. */
  onMessage: (message: Msg) => void;
  /** Called when NATS denies the subscription: messages may be lost from then on. */
  onDenied?: () => void;
}

/** The subscriptions of a connection. */
export class Subscriptions {
  readonly #nats: NatsConnection;
  readonly #log: BusLog;
  readonly #all = new Set<LastingSubscription>();

  constructor(nats: NatsConnection, log: BusLog) {
    this.#nats = nats;
    this.#log = log;
  }

  add(subject: string, options: SubscribeOptions): LastingSubscription {
    const subscription = new LastingSubscription(this.#nats, this.#log, subject, options, () =>
      this.#all.delete(subscription),
    );
    this.#all.add(subscription);
    return subscription;
  }

  /** Subjects of the subscriptions that NATS denies at present. */
  get denied(): string[] {
    return [...this.#all].filter(({ isDenied }) => isDenied).map(({ subject }) => subject);
  }

  /** NATS reported that it denies the subject. The client does not report that to a subscription in a queue group. */
  deny(subject: string): void {
    for (const subscription of this.#all) if (subscription.subject === subject) subscription.deny();
  }
}

/**
 * A subscription that is restored when NATS allows it again. The client resubscribes after a disconnect, but never after a
 * denial.
 */
export class LastingSubscription {
  readonly subject: string;
  readonly #nats: NatsConnection;
  readonly #log: BusLog;
  readonly #options: SubscribeOptions;
  readonly #onEnd: () => void;
  readonly #failures: FailureLog;
  #current: Subscription;
  #retries: NodeJS.Timeout | null = null;

  constructor(
    nats: NatsConnection,
    log: BusLog,
    subject: string,
    options: SubscribeOptions,
    onEnd: () => void,
  ) {
    this.subject = subject;
    this.#nats = nats;
    this.#log = log;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#failures = new FailureLog(asErrors(log), 'failed to handle a message');
    this.#current = this.#subscribe();
  }

  get isDenied(): boolean {
    return this.#retries !== null;
  }

  deny(): void {
    if (this.isDenied) return;
    this.#current.unsubscribe();
    this.#retries = setInterval(() => void this.#restore().catch(() => undefined), retryMs);
    this.#options.onDenied?.();
  }

  unsubscribe(): void {
    this.#end();
    this.#current.unsubscribe();
  }

  /** Resolves when the callbacks of all received messages were called. */
  async drain(): Promise<void> {
    this.#end();
    if (!this.#current.isClosed()) await this.#current.drain();
  }

  #subscribe(): Subscription {
    const { queue } = this.#options;
    return this.#nats.subscribe(this.subject, {
      ...(queue === undefined ? {} : { queue }),
      callback: (error, message) => (error ? this.deny() : this.#handle(message)),
    });
  }

  /** The client would stop reading from the connection if a callback threw, for example because a message is malformed. */
  #handle(message: Msg): void {
    try {
      this.#options.onMessage(message);
    } catch (error) {
      // One reason for all: otherwise each of many malformed messages could be logged.
      const failure = new Error('the handler of the subscription threw', { cause: error });
      this.#failures.warn(failure, { subject: this.subject });
    }
  }

  async #restore(): Promise<void> {
    if (this.#current.isClosed()) this.#current = this.#subscribe();
    await this.#nats.flush();
    // A denial precedes the answer to the flush, and closes the subscription.
    if (this.#current.isClosed() || !this.isDenied) return;
    this.#stopRetries();
    this.#log.warn({ subject: this.subject }, 'NATS allows the subscription again');
  }

  #end(): void {
    this.#stopRetries();
    this.#onEnd();
  }

  #stopRetries(): void {
    if (this.#retries) clearInterval(this.#retries);
    this.#retries = null;
  }
}
