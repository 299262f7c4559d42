import { decodeId } from '@roster/contracts';
import type { ConsumerMessages } from 'nats';
import type { Link } from '../link.js';
import { asErrors, FailureLog } from '../failure-log.js';
import type { BusLog } from '../observer.js';
import { Acknowledger, type Delivered } from './acknowledger.js';
import { Deferred, Unusable, usableEventsIn } from './consumed-message.js';
import type { ConsumedMessage, HandleMessage } from './consumed-message.js';
import { drainMessages } from '../connection/client-internals.js';
import { DurableConsumer, pullMax, type StreamStatus } from './durable-consumer.js';
import { bytesOf, countIn, republishedHeader } from './event-message.js';
import { MessagesInFlight, type InFlightLimits } from './messages-in-flight.js';
import { headersOf } from '../wire.js';
import { EventPublisher, type StreamOptions } from './publish.js';

export interface ConsumeOptions extends InFlightLimits {
  /** Name of the durable consumer. Processes with the same name share its events. */
  durable: string;
  stream: StreamOptions;
  /**
   * Time without a sign of life after which an event is delivered to another process. This process renews it three times as often
   * while it handles the event.
   */
  ackWaitMs?: number;
  /** Delay until an event that was not handled is delivered again. It counts as outstanding meanwhile. */
  retryAfterMs?: number;
}

const ackWaitMsDefault = 1500;
const retryAfterMsDefault = 1000;
const reattachAfterMs = 300;

/**
 * Calls `handle` for every message with events, at least once. A message is acknowledged when `handle` is done, and delivered
 * again if it throws. Survives restarts of NATS. A missing consumer or stream is created again, and all events that the stream holds are
 * then delivered.
 */
export async function consumeEvents(
  link: Link,
  log: BusLog,
  options: ConsumeOptions,
  handle: HandleMessage,
): Promise<EventConsumer> {
  const publisher = await EventPublisher.open(link, options.stream);
  const manager = await link.nats.jetstreamManager({ checkAPI: false });
  const { ackWaitMs = ackWaitMsDefault } = options;
  const durable = new DurableConsumer(link, manager, publisher, { ...options, ackWaitMs });
  return new EventConsumer({ link, log, options: { ...options, ackWaitMs }, handle, durable });
}

/** What a consumer depends on. A test replaces the link and the durable consumer with models. */
interface Parts {
  link: Pick<Link, 'up' | 'onChange'>;
  log: BusLog;
  options: Pick<ConsumeOptions, keyof InFlightLimits | 'retryAfterMs'> & { ackWaitMs: number };
  handle: HandleMessage;
  durable: Pick<DurableConsumer, 'attach' | 'status'>;
}

export class EventConsumer {
  readonly #parts: Parts;
  readonly #failures: FailureLog;
  /** A service with stolen credentials can store any number of messages that are not events. */
  readonly #dropped: FailureLog;
  readonly #acknowledger: Acknowledger;
  /** A message that is delivered again while it is being handled must not be handled twice concurrently. */
  readonly #inFlight: MessagesInFlight;
  readonly #unlisten: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #running: Promise<void>;
  #messages: ConsumerMessages | undefined;
  #stopped = false;
  #renewedAt = performance.now();
  /** Number of next messages that may have reached another process too, because they waited in the client. */
  #doubtful = 0;
  /** How long the last messages waited for room, and how many they are: at most as many as the client holds. */
  #waited = { ms: 0, messages: 0 };
  readonly #waiting = new Set<() => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#inFlight = new MessagesInFlight(parts.options);
    this.#failures = new FailureLog(parts.log, 'failed to handle an event; will retry');
    this.#dropped = new FailureLog(asErrors(parts.log), 'dropped an invalid event');
    this.#acknowledger = new Acknowledger(parts.link);
    this.#unlisten = parts.link.onChange(() => {
      // After every reconnection the state of the stream is read again: see `DurableConsumer.attach`.
      this.#messages?.stop();
      this.#acknowledger.forget();
      this.#wake();
    });
    this.#heartbeat = setInterval(() => this.#renew(), parts.options.ackWaitMs / 3);
    this.#running = this.#run();
  }

  /** Number of events being handled. */
  get inFlight(): number {
    return this.#inFlight.events;
  }

  /** For metrics. Sends two requests to NATS; rejects without a connection. */
  status(): Promise<StreamStatus> {
    return this.#parts.durable.status();
  }

  /** Stops receiving events. Resolves when all received events are handled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unlisten();
    if (this.#messages) {
      if (this.#parts.link.up) drainMessages(this.#messages);
      else this.#messages.stop();
    }
    this.#wake();
    await this.#running;
    while (this.#inFlight.events > 0) {
      await Promise.all([...this.#inFlight.all()].map(({ settled }) => settled));
    }
    clearInterval(this.#heartbeat);
    this.#acknowledger.flush();
  }

  async #run(): Promise<void> {
    const { link, log } = this.#parts;
    while (!this.#stopped) {
      try {
        if (link.up) await this.#consume();
      } catch (error) {
        if (link.up) log.warn({ err: error }, 'lost the event consumer; reattaching');
      }
      if (!this.#stopped) await this.#change(reattachAfterMs);
    }
  }

  async #consume(): Promise<void> {
    const { link, durable } = this.#parts;
    const { messages, ...attached } = await durable.attach();
    this.#acknowledger.forget();
    const { attachment } = this.#acknowledger;
    this.#messages = messages;
    this.#acknowledger.giveBackOwed();
    if (this.#stopped || !link.up) messages.stop();
    try {
      for await (const message of messages) {
        if (this.#inFlight.isFull) await this.#room();
        // Gives back messages that were fetched and not started: another process gets them immediately, or this one after
        // reconnection.
        if (!this.#stopped && link.up) this.#take({ message, attachment }, attached);
        else this.#acknowledger.giveBack({ message }, 0);
      }
    } finally {
      this.#messages = undefined;
    }
  }

  /** Extends the ack wait of the events that are being handled. */
  #renew(): void {
    // While this process did not run, messages waited in the client.
    this.#doubtAfter(this.#renewedAt);
    this.#renewedAt = performance.now();
    if (!this.#parts.link.up) return;
    for (const { message } of this.#inFlight.all()) message.working();
  }

  /** Resolves when another event may be handled. */
  async #room(): Promise<void> {
    const since = performance.now();
    while (this.#inFlight.isFull && !this.#stopped) await this.#change();
    this.#waited.ms += performance.now() - since;
    if (this.#waited.ms > this.#parts.options.ackWaitMs / 4) this.#doubtful = pullMax;
  }

  #doubtAfter(since: number): void {
    if (performance.now() - since > this.#parts.options.ackWaitMs / 2) this.#doubtful = pullMax;
  }

  #take(delivered: Delivered, { last, stream }: { last: number; stream: string }): void {
    const { message } = delivered;
    this.#doubtAfter(this.#renewedAt);
    this.#waited.messages += 1;
    if (this.#waited.messages === pullMax) this.#waited = { ms: 0, messages: 0 };
    const [, workspaceId = '', kind = ''] = message.subject.split('.');
    const headers = headersOf(message);
    const id = headers?.get('Nats-Msg-Id') ?? '';
    const rawWorkspaceId = decodeId('workspace', workspaceId);
    if (!rawWorkspaceId || decodeId('event', id) === undefined)
      return this.#drop(delivered, new Unusable('it is not an event: an ID is missing'));
    const { data, redelivered, info } = message;
    const republished = headers?.has(republishedHeader) ?? false;
    const position = { stream, sequence: info.streamSequence, storedNs: info.timestampNanos };
    const isDoubtful = this.#doubtful > 0;
    if (isDoubtful) {
      this.#doubtful -= 1;
      message.working();
    }
    const suspect = position.sequence <= last || republished || redelivered || isDoubtful;
    const consumed = {
      ...{ id, workspaceId, rawWorkspaceId, kind, events: () => usableEventsIn(data, headers) },
      ...{ suspect, deliveries: info.deliveryCount, position, republished },
    };
    const sooner = this.#inFlight.get(id);
    // The first delivery is still being handled: its redelivery is reported to that handler.
    const settled = sooner
      ? sooner.settled.then((done) => this.#acknowledge(delivered, done))
      : this.#work(delivered, consumed);
    if (!settled) return;
    const [count, bytes] = [countIn(data), bytesOf(data, headers)];
    this.#inFlight.add(id, { message, count, bytes, settled }, () => this.#wake());
  }

  /** Resolves with whether the message was handled, or returns undefined if it was handled synchronously. Never rejects. */
  #work(delivered: Delivered, consumed: ConsumedMessage): Promise<boolean> | undefined {
    try {
      const handling = this.#parts.handle(consumed);
      if (handling)
        return handling.then(
          () => this.#acknowledge(delivered, true),
          (error: unknown) => this.#refuse(delivered, consumed, error),
        );
      this.#acknowledge(delivered, true);
    } catch (error) {
      this.#refuse(delivered, consumed, error);
    }
    return undefined;
  }

  #drop(delivered: Delivered, reason: Unusable, eventId?: string): void {
    const { subject, seq } = delivered.message;
    this.#dropped.warn(reason, { ...(eventId !== undefined && { eventId }), subject, seq });
    this.#acknowledger.terminate(delivered, reason.message);
  }

  #refuse(delivered: Delivered, { id }: ConsumedMessage, error: unknown): boolean {
    if (error instanceof Unusable) {
      this.#drop(delivered, error, id);
      return true;
    }
    this.#failures.warn(error, { eventId: id });
    const retryAfterMs = error instanceof Deferred ? error.retryAfterMs : undefined;
    return this.#acknowledge(delivered, false, retryAfterMs);
  }

  #acknowledge(
    delivered: Delivered,
    done: boolean,
    retryAfterMs = this.#parts.options.retryAfterMs ?? retryAfterMsDefault,
  ): boolean {
    if (done) this.#acknowledger.acknowledge(delivered);
    else this.#acknowledger.giveBack(delivered, retryAfterMs);
    return done;
  }

  /** Resolves on the next change, or after `timeoutMs`. */
  #change(timeoutMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => done(), timeoutMs);
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const done of this.#waiting) done();
  }
}
