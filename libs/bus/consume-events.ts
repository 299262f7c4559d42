import { decodeId, eventStream } from '@roster/contracts';
import {
  AckPolicy,
  DeliverPolicy,
  nanos,
  NatsError,
  type ConsumerMessages,
  type JetStreamManager,
  type JsMsg,
  type Subscription,
} from 'nats';
import type { Link } from './link.js';
import type { BusLog } from './observer.js';
import { againHeader, EventPublisher, type StreamOptions } from './publish-events.js';

/** An event off the stream. Ids in their outside form, and raw. */
export interface ConsumedEvent {
  id: string;
  rawId: string;
  workspaceId: string;
  rawWorkspaceId: string;
  kind: string;
  /** As published, byte for byte. */
  body: Uint8Array;
  /** It may have been handled before: compare with what is recorded. Never false for an event that was. */
  suspect: boolean;
}

/** Thrown by a handler for an event that no repetition would help: it is logged and not delivered again. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

export interface ConsumeOptions {
  /** Name of the consumer. Processes that give the same one share the events. */
  durable: string;
  stream: StreamOptions;
  /** Events handled at once here. */
  inFlightMax: number;
  /** How long an event may stay silent before somebody else gets it. Kept alive while it is handled here. */
  ackWaitMs?: number;
  /** How long an event waits that could not be handled. It holds a place among the consumer's open events meanwhile. */
  againAfterMs?: number;
}

/** Events that the consumer may have open in all processes together. */
const openMax = 4096;
const pullMax = 256;
/** Shows within twice this time that the consumer or the stream is gone. */
const idleHeartbeatMs = 5000;
const attachAgainMs = 300;
/** Acknowledgements are sent together: one system call here and one in NATS for all of this time. */
const acknowledgeEveryMs = 10;

/** Returns nothing when an event is done at once, and otherwise resolves when it is. */
export type HandleEvent = (event: ConsumedEvent) => void | Promise<void>;

/**
 * Hands every event to `handle`, at least once, until it is stopped. The event is acknowledged when `handle` is done with it,
 * and comes again when it has thrown. Survives restarts of NATS; a consumer or a stream that is gone is made again, and
 * everything the stream holds is delivered then.
 */
export async function consumeEvents(
  link: Link,
  log: BusLog,
  options: ConsumeOptions,
  handle: HandleEvent,
): Promise<EventConsumer> {
  const publisher = await EventPublisher.open(link, options.stream);
  const manager = await link.nats.jetstreamManager({ checkAPI: false });
  return new EventConsumer({ link, log, options, handle, publisher, manager });
}

interface Parts {
  link: Link;
  log: BusLog;
  options: ConsumeOptions;
  handle: HandleEvent;
  publisher: EventPublisher;
  manager: JetStreamManager;
}

export class EventConsumer {
  readonly #parts: Parts;
  readonly #ackWaitMs: number;
  /** By event id: the same event may come again while it is still handled, and must not be handled twice at once. */
  readonly #inFlight = new Map<string, { message: JsMsg; settled: Promise<boolean> }>();
  readonly #unlisten: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #running: Promise<void>;
  /** Fetched or failed while the link was down: given back once it stands again. */
  readonly #owed = new Set<JsMsg>();
  /** Handled, and soon acknowledged. */
  #handled: JsMsg[] = [];
  #acknowledging: NodeJS.Timeout | undefined;
  #messages: ConsumerMessages | undefined;
  #stopped = false;
  readonly #waiting = new Set<() => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#ackWaitMs = parts.options.ackWaitMs ?? 10_000;
    this.#unlisten = parts.link.onChange(() => {
      // What the stream holds must be looked at anew after every break: see `#attach`. An acknowledgement must not be kept:
      // should NATS lose its state, it would be another event's.
      this.#messages?.stop();
      this.#handled = [];
      this.#wake();
    });
    this.#heartbeat = setInterval(() => {
      if (!parts.link.up) return;
      for (const { message } of this.#inFlight.values()) message.working();
    }, this.#ackWaitMs / 3);
    this.#running = this.#run();
  }

  /** Events being handled. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Takes no more events, and returns when those taken are handled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unlisten();
    this.#drain();
    this.#wake();
    await this.#running;
    while (this.#inFlight.size > 0) {
      await Promise.all([...this.#inFlight.values()].map(({ settled }) => settled));
    }
    clearInterval(this.#heartbeat);
    this.#acknowledgeHandled();
  }

  /** Ends the iteration once what NATS has already sent is here: given back, it need not wait for its time to run out. */
  #drain(): void {
    // The client offers `stop()` only, which lets go of messages on their way; it does mind its subscription being drained.
    const { sub } = (this.#messages ?? {}) as { sub?: Subscription };
    if (sub && this.#parts.link.up) sub.drain().catch(() => this.#messages?.stop());
    else this.#messages?.stop();
  }

  async #run(): Promise<void> {
    const { link, log } = this.#parts;
    while (!this.#stopped) {
      try {
        if (link.up) await this.#consume();
      } catch (error) {
        if (link.up) log.warn({ err: error }, 'the event consumer has to be attached again');
      }
      if (!this.#stopped) await this.#change(attachAgainMs);
    }
  }

  async #consume(): Promise<void> {
    const { link, options } = this.#parts;
    const { inFlightMax } = options;
    const { messages, last } = await this.#attach();
    this.#messages = messages;
    for (const message of this.#owed) message.nak();
    this.#owed.clear();
    if (this.#stopped || !link.up) messages.stop();
    try {
      for await (const message of messages) {
        while (this.#inFlight.size >= inFlightMax && !this.#stopped) await this.#change();
        // What was fetched and not begun: another process gets it at once, or this one after the link has returned.
        if (!this.#stopped && link.up) this.#take(message, message.seq <= last);
        else this.#giveBack(message, 0);
      }
    } finally {
      this.#messages = undefined;
    }
  }

  /**
   * A NATS machine that lost power may have forgotten which events it delivered, and even events it had: whatever the
   * stream holds at this moment may have been handled. No clock tells; the sequence does.
   */
  async #attach(): Promise<{ messages: ConsumerMessages; last: number }> {
    const { link, manager, publisher, options } = this.#parts;
    const { last } = await publisher.bounds(options.stream);
    await this.#ensureConsumer(manager);
    const consumer = await link.nats.jetstream().consumers.get(eventStream, options.durable);
    const messages = await consumer.consume({
      max_messages: Math.min(pullMax, options.inFlightMax),
      idle_heartbeat: idleHeartbeatMs,
      // Ends the iteration, so that the consumer is made again here.
      abort_on_missing_resource: true,
    });
    return { messages, last };
  }

  async #ensureConsumer(manager: JetStreamManager): Promise<void> {
    const { durable } = this.#parts.options;
    const changeable = { ack_wait: nanos(this.#ackWaitMs), max_ack_pending: openMax };
    try {
      await manager.consumers.update(eventStream, durable, changeable);
    } catch (error) {
      if (!(error instanceof NatsError) || error.api_error?.err_code !== consumerNotFound)
        throw error;
      await manager.consumers.add(eventStream, {
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ...changeable,
      });
    }
  }

  #take(message: JsMsg, known: boolean): void {
    const [, workspaceId = '', kind = ''] = message.subject.split('.');
    const id = message.headers?.get('Nats-Msg-Id') ?? '';
    const rawId = decodeId('event', id);
    const rawWorkspaceId = decodeId('workspace', workspaceId);
    if (!rawId || !rawWorkspaceId) {
      this.#parts.log.error({ subject: message.subject, seq: message.seq }, 'not an event');
      return message.term('not an event');
    }
    const again = message.headers?.has(againHeader) ?? false;
    const suspect = known || again || message.redelivered;
    const event = { id, rawId, workspaceId, rawWorkspaceId, kind, body: message.data, suspect };
    const sooner = this.#inFlight.get(id);
    // Its first coming is still worked on here: it is what this one needs to know.
    const settled = sooner
      ? sooner.settled.then((done) => this.#acknowledge(message, done))
      : this.#work(message, event);
    if (!settled) return;
    const entry = { message, settled };
    this.#inFlight.set(id, entry);
    void settled.then(() => {
      if (this.#inFlight.get(id) === entry) this.#inFlight.delete(id);
      this.#wake();
    });
  }

  /** Whether the event was handled, unless it was at once. Never rejects. */
  #work(message: JsMsg, event: ConsumedEvent): Promise<boolean> | undefined {
    try {
      const handling = this.#parts.handle(event);
      if (handling)
        return handling.then(
          () => this.#acknowledge(message, true),
          (error: unknown) => this.#refuse(message, event, error),
        );
      this.#acknowledge(message, true);
    } catch (error) {
      this.#refuse(message, event, error);
    }
    return undefined;
  }

  #refuse(message: JsMsg, { id }: ConsumedEvent, error: unknown): boolean {
    const { log } = this.#parts;
    if (error instanceof Unusable) {
      log.error({ eventId: id, reason: error.message }, 'dropped an event');
      message.term(error.message);
      return true;
    }
    log.warn({ eventId: id, err: error }, 'could not handle an event yet');
    return this.#acknowledge(message, false);
  }

  #acknowledge(message: JsMsg, done: boolean): boolean {
    const { link, options } = this.#parts;
    if (!done) this.#giveBack(message, options.againAfterMs ?? 1000);
    else if (link.up) {
      this.#handled.push(message);
      this.#acknowledging ??= setTimeout(() => this.#acknowledgeHandled(), acknowledgeEveryMs);
    }
    return done;
  }

  /** Unconfirmed: an event whose acknowledgement is lost comes again, as one that may have been handled. */
  #acknowledgeHandled(): void {
    clearTimeout(this.#acknowledging);
    this.#acknowledging = undefined;
    const handled = this.#handled;
    this.#handled = [];
    for (const message of handled) message.ack();
  }

  #giveBack(message: JsMsg, againAfterMs: number): void {
    if (this.#parts.link.up) message.nak(againAfterMs);
    else if (!this.#stopped) this.#owed.add(message);
  }

  /** Resolves when something has changed, or after `timeoutMs`. */
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

/** JetStream API error code. https://github.com/nats-io/nats-server/blob/main/server/errors.json */
const consumerNotFound = 10014;
