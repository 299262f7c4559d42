import { eventStream, eventSubject, type EventKind } from '@roster/contracts';
import { nanos, RetentionPolicy, StorageType, type JetStreamManager } from 'nats';
import type { Link } from '../link.js';
import { isRefusal, JetStreamCode } from './jetstream-error.js';
import { StreamPublisher } from './stream-publisher.js';

/** An event on its way to the stream. */
export interface EventMessage {
  /** Outside form, `evt_…`: the message's `Nats-Msg-Id`, by which the stream drops repetitions. */
  id: string;
  workspaceId: string;
  kind: EventKind;
  /** The delivery's body, as bytes of JSON. */
  body: string;
  /** Published again after the stream may have lost it: a consumer must not trust the stream to have dropped a repetition. */
  republished?: boolean;
}

/** Header of events that were published before. The former release reads and writes it. */
export const republishedHeader = 'Roster-Again';

export interface StreamOptions {
  replicas: number;
  maxAgeSeconds: number;
}

/** How long the stream drops repetitions of a `Nats-Msg-Id`. */
const dedupeSeconds = 600;
const publishTimeoutMs = 5000;

/** Publishes events to JetStream and asks the stream what it holds. */
export class EventPublisher {
  readonly #stream: StreamPublisher;
  readonly #manager: JetStreamManager;

  private constructor(link: Link, manager: JetStreamManager) {
    this.#stream = new StreamPublisher(link, publishTimeoutMs);
    this.#manager = manager;
  }

  /** Makes the stream, or brings an existing one to these settings. Harmless to run from several processes at once. */
  static async open(
    link: Link,
    { replicas, maxAgeSeconds }: StreamOptions,
  ): Promise<EventPublisher> {
    const manager = await link.nats.jetstreamManager({
      checkAPI: false,
      timeout: publishTimeoutMs,
    });
    const publisher = new EventPublisher(link, manager);
    await publisher.#ensureStream({ replicas, maxAgeSeconds });
    return publisher;
  }

  async #ensureStream({ replicas, maxAgeSeconds }: StreamOptions): Promise<void> {
    const settings = {
      subjects: ['events.>'],
      max_age: nanos(maxAgeSeconds * 1000),
      duplicate_window: nanos(dedupeSeconds * 1000),
      num_replicas: replicas,
    };
    try {
      await this.#manager.streams.update(eventStream, settings);
    } catch (error) {
      if (!isRefusal(error, JetStreamCode.StreamNotFound)) throw error;
      const fixed = { storage: StorageType.File, retention: RetentionPolicy.Limits };
      await this.#manager.streams.add({ name: eventStream, ...settings, ...fixed });
    }
  }

  /**
   * The stream sequence the event was stored at. The server acknowledges before it fsyncs: the outbox keeps the row.
   *
   * @throws when NATS is away or does not confirm in time; the event may be stored then
   */
  publish({ id, workspaceId, kind, body, republished }: EventMessage): Promise<number> {
    return this.#stream.publish(
      eventSubject(workspaceId, kind),
      body,
      republished ? { 'Nats-Msg-Id': id, [republishedHeader]: '1' } : { 'Nats-Msg-Id': id },
    );
  }

  /** First and last sequence of the stream. A stream that is gone is made again. */
  async bounds(options: StreamOptions): Promise<{ first: number; last: number }> {
    await this.#ensureStream(options);
    const { state } = await this.#manager.streams.info(eventStream);
    return { first: state.first_seq, last: state.last_seq };
  }

  /** `Nats-Msg-Id` of the message at a sequence, or undefined when there is none. */
  async messageIdAt(sequence: number): Promise<string | undefined> {
    try {
      const message = await this.#manager.streams.getMessage(eventStream, { seq: sequence });
      return message.header.get('Nats-Msg-Id');
    } catch (error) {
      if (isRefusal(error, JetStreamCode.NoMessageFound)) return undefined;
      throw error;
    }
  }
}
