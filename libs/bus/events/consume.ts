import { decodeId } from '@roster/contracts';
import type { ConsumerMessages, JsMsg } from 'nats';
import type { Link } from '../link.js';
import { FailureLog } from '../failure-log.js';
import type { BusLog } from '../observer.js';
import { Acknowledger, type Delivered } from './acknowledger.js';
import { Deferred, Unusable, type ConsumedEvent, type HandleEvent } from './consumed-event.js';
import { drainMessages, DurableConsumer, type StreamStatus } from './durable-consumer.js';
import { EventPublisher, republishedHeader, type StreamOptions } from './publish.js';

export interface ConsumeOptions {
  /** Name of the consumer. Processes that give the same one share the events. */
  durable: string;
  stream: StreamOptions;
  /** Events handled at once here. */
  inFlightMax: number;
  /** How long an event may stay silent before somebody else gets it. Kept alive while it is handled here. */
  ackWaitMs?: number;
  /** How long an event waits that could not be handled. It counts among the consumer's open events meanwhile. */
  retryAfterMs?: number;
}

const ackWaitMsDefault = 10_000;
const retryAfterMsDefault = 1000;
const reattachAfterMs = 300;

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
  const { ackWaitMs = ackWaitMsDefault } = options;
  const durable = new DurableConsumer(link, manager, publisher, { ...options, ackWaitMs });
  return new EventConsumer({ link, log, options: { ...options, ackWaitMs }, handle, durable });
}

interface Parts {
  link: Link;
  log: BusLog;
  options: ConsumeOptions & { ackWaitMs: number };
  handle: HandleEvent;
  durable: DurableConsumer;
}

export class EventConsumer {
  readonly #parts: Parts;
  readonly #failures: FailureLog;
  readonly #acknowledger: Acknowledger;
  /** By event id: the same event may come again while it is still handled, and must not be handled twice at once. */
  readonly #inFlight = new Map<string, { message: JsMsg; settled: Promise<boolean> }>();
  readonly #unlisten: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #running: Promise<void>;
  #messages: ConsumerMessages | undefined;
  #stopped = false;
  readonly #waiting = new Set<() => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#failures = new FailureLog(parts.log, 'failed to handle an event; will retry');
    this.#acknowledger = new Acknowledger(parts.link);
    this.#unlisten = parts.link.onChange(() => {
      // What the stream holds must be looked at anew after every break: see `DurableConsumer.attach`.
      this.#messages?.stop();
      this.#acknowledger.forget();
      this.#wake();
    });
    this.#heartbeat = setInterval(() => {
      if (!parts.link.up) return;
      for (const { message } of this.#inFlight.values()) message.working();
    }, parts.options.ackWaitMs / 3);
    this.#running = this.#run();
  }

  /** Events being handled. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** For metrics: two requests to NATS. Throws when it is away. */
  status(): Promise<StreamStatus> {
    return this.#parts.durable.status();
  }

  /** Takes no more events, and returns when those taken are handled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unlisten();
    if (this.#messages) {
      if (this.#parts.link.up) drainMessages(this.#messages);
      else this.#messages.stop();
    }
    this.#wake();
    await this.#running;
    while (this.#inFlight.size > 0) {
      await Promise.all([...this.#inFlight.values()].map(({ settled }) => settled));
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
    const { link, options, durable } = this.#parts;
    const { messages, last } = await durable.attach();
    this.#acknowledger.forget();
    const { attachment } = this.#acknowledger;
    this.#messages = messages;
    this.#acknowledger.giveBackOwed();
    if (this.#stopped || !link.up) messages.stop();
    try {
      for await (const message of messages) {
        while (this.#inFlight.size >= options.inFlightMax && !this.#stopped) await this.#change();
        // What was fetched and not begun: another process gets it at once, or this one after the link has returned.
        if (!this.#stopped && link.up) this.#take({ message, attachment }, message.seq <= last);
        else this.#acknowledger.giveBack({ message }, 0);
      }
    } finally {
      this.#messages = undefined;
    }
  }

  #take(delivered: Delivered, known: boolean): void {
    const { message } = delivered;
    const [, workspaceId = '', kind = ''] = message.subject.split('.');
    const id = message.headers?.get('Nats-Msg-Id') ?? '';
    const rawId = decodeId('event', id);
    const rawWorkspaceId = decodeId('workspace', workspaceId);
    if (!rawId || !rawWorkspaceId) {
      this.#parts.log.error(
        { subject: message.subject, seq: message.seq },
        'dropped a message that is not an event',
      );
      return this.#acknowledger.terminate(delivered, 'not an event');
    }
    const isRepublished = message.headers?.has(republishedHeader) ?? false;
    const suspect = known || isRepublished || message.redelivered;
    const event = { id, rawId, workspaceId, rawWorkspaceId, kind, body: message.data, suspect };
    const sooner = this.#inFlight.get(id);
    // Its first coming is still worked on here: it is what this one needs to know.
    const settled = sooner
      ? sooner.settled.then((done) => this.#acknowledge(delivered, done))
      : this.#work(delivered, event);
    if (!settled) return;
    const entry = { message, settled };
    this.#inFlight.set(id, entry);
    void settled.then(() => {
      if (this.#inFlight.get(id) === entry) this.#inFlight.delete(id);
      this.#wake();
    });
  }

  /** Whether the event was handled, unless it was at once. Never rejects. */
  #work(delivered: Delivered, event: ConsumedEvent): Promise<boolean> | undefined {
    try {
      const handling = this.#parts.handle(event);
      if (handling)
        return handling.then(
          () => this.#acknowledge(delivered, true),
          (error: unknown) => this.#refuse(delivered, event, error),
        );
      this.#acknowledge(delivered, true);
    } catch (error) {
      this.#refuse(delivered, event, error);
    }
    return undefined;
  }

  #refuse(delivered: Delivered, { id }: ConsumedEvent, error: unknown): boolean {
    const { log } = this.#parts;
    if (error instanceof Unusable) {
      log.error({ eventId: id, reason: error.message }, 'dropped an invalid event');
      this.#acknowledger.terminate(delivered, error.message);
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
