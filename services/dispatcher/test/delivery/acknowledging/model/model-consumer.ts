import { EventConsumer } from '@roster/bus';
import { encodeId, joinEvents, uuidOf } from '@roster/contracts';
import type { Wire } from '@roster/testing';
import { eventsOf, workspaceId } from './model-events.js';
import type { Delivered, ModelStream } from './model-stream.js';

type Parts = ConstructorParameters<typeof EventConsumer>[0];
type Messages = Awaited<ReturnType<Parts['durable']['attach']>>['messages'];

/** Events that are fetched at once. */
const pullMax = 2;
const subject = `events.${encodeId('workspace', workspaceId)}.CONTACT_CREATED`;
const nothing = () => undefined;

/** The consumer of the bus, over a connection to the model of the stream. */
export class ModelConsumer {
  readonly #nats: Wire;
  readonly #stream: ModelStream;
  readonly #listeners = new Set<(up: boolean) => void>();
  /** Events that are on their way, or wait in the client: that takes less time than the ack wait. */
  readonly #coming = new Set<string>();
  readonly #handling = new Set<string>();
  #messages: ModelMessages | undefined;

  constructor(
    nats: Wire,
    stream: ModelStream,
    { inFlightMax, handle }: { inFlightMax: number; handle: Parts['handle'] },
  ) {
    this.#nats = nats;
    this.#stream = stream;
    void new EventConsumer({
      link: this.#link(),
      log: { debug: nothing, warn: nothing, error: nothing },
      options: { inFlightMax, ackWaitMs: 10_000 },
      durable: { attach: () => this.#attach(), status: () => Promise.reject(new Error()) },
      handle: async (message) => {
        const event = uuidOf('event', message.id);
        this.#handling.add(event);
        try {
          await handle(message);
        } finally {
          this.#handling.delete(event);
        }
      },
    });
  }

  /** Events that are being handled or transmitted. The consumer reports to NATS that it works on them. */
  get handled(): string[] {
    return [...this.#handling, ...this.#coming];
  }

  changeLink(): void {
    for (const listener of this.#listeners) listener(this.#nats.isUp);
  }

  /** Fetches events for as long as there are any. */
  pull(): void {
    const messages = this.#messages;
    if (!messages || messages.isEnded || !this.#nats.isUp) return;
    const isOpen = this.#nats.session();
    let fetched: Delivered[] = [];
    const fetch = () => {
      if (isOpen() && messages.consumer === this.#stream.consumer)
        fetched = this.#stream.next(pullMax);
      for (const { event } of fetched) this.#coming.add(event);
      return messages.consumer === this.#stream.consumer;
    };
    void this.#nats.send('fetch', fetch).then(
      (isThere) => {
        if (!isThere) return messages.stop();
        if (messages.isEnded) return this.#drop(fetched);
        for (const delivered of fetched)
          messages.add(this.#messageOf(delivered), () => this.#drop([delivered]));
        if (fetched.length > 0) this.pull();
      },
      () => this.#drop(fetched),
    );
  }

  #link(): Parts['link'] {
    const nats = this.#nats;
    return {
      get up() {
        return nats.isUp;
      },
      onChange: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  async #attach(): ReturnType<Parts['durable']['attach']> {
    const last = await this.#nats.send('read the end of the stream', () => this.#stream.last);
    const consumer = await this.#nats.send('attach', () => this.#stream.consumer);
    const messages = new ModelMessages(consumer);
    this.#messages = messages;
    this.pull();
    return { messages: messages as unknown as Messages, last, stream: '' };
  }

  #messageOf({ sequence, event, republished, redelivered }: Delivered) {
    const answer = (what: string, effect: () => void) => {
      const { server } = this.#stream;
      // If it is lost with the link, the event is delivered again. It does not reach a server that has restarted.
      const received = () => void (this.#stream.server === server && effect());
      this.#nats.send(`${what} ${event}`, received).then(() => this.pull(), nothing);
    };
    const events = eventsOf(event);
    const headers = new Map([
      ['Nats-Msg-Id', encodeId('event', event)],
      ...(republished ? [['Roster-Again', '1'] as const] : []),
    ]);
    const body =
      events.length > 1
        ? joinEvents(events.map((id) => ({ id, body: '{}', details: undefined })))
        : '{}';
    return {
      ...{ subject, seq: sequence, headers, redelivered, data: Buffer.from(body) },
      info: { streamSequence: sequence, timestampNanos: 0 },
      ack: () => answer('acknowledge', () => this.#stream.acknowledge(sequence)),
      nak: () => answer('give back', () => this.#stream.giveBack(sequence)),
      term: () => answer('terminate', () => this.#stream.acknowledge(sequence)),
      working: nothing,
    };
  }

  #drop(fetched: readonly Delivered[]): void {
    for (const { event } of fetched) this.#coming.delete(event);
  }
}

/** As the iterator of the client: messages that it holds are also returned after it was stopped. */
class ModelMessages {
  readonly consumer: number;
  readonly #ready: { message: unknown; taken: () => void }[] = [];
  #isEnded = false;
  #wake = nothing as () => void;

  constructor(consumer: number) {
    this.consumer = consumer;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** @param taken called when the consumer has taken the message */
  add(message: unknown, taken: () => void): void {
    this.#ready.push({ message, taken });
    this.#wake();
  }

  stop(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator {
    for (;;) {
      const next = this.#ready.shift();
      if (next) {
        yield next.message;
        next.taken();
      } else if (this.#isEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
