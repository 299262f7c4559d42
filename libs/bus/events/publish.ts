import { eventStream, eventSubject, type EventKind } from '@roster/contracts';
import {
  nanos,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type ServerInfo,
  type StreamInfo,
} from 'nats';
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

/** What the stream holds at one moment. */
export interface StreamTail {
  first: number;
  last: number;
  /** When the message at `last` was stored, to the nanosecond. A message stored at the same sequence later has another time. */
  lastTime: string;
  /**
   * Names the time during which one server has led the stream without a break: as long as it stays the same, the stream
   * loses nothing that it acknowledged. Undefined when NATS does not tell, as of a stream with one replica in a cluster.
   */
  incarnation: string | undefined;
}

export interface StoredMessage {
  /** Its `Nats-Msg-Id`. */
  id: string;
  /** When it was stored, as in `StreamTail`. */
  time: string;
}

/** How long the stream drops repetitions of a `Nats-Msg-Id`. */
const dedupeSeconds = 600;
const publishTimeoutMs = 5000;

/** Publishes events to JetStream and asks the stream what it holds. */
export class EventPublisher {
  readonly #link: Link;
  readonly #stream: StreamPublisher;
  readonly #manager: JetStreamManager;

  private constructor(link: Link, manager: JetStreamManager) {
    this.#link = link;
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
    return this.tail(options);
  }

  /** What the stream holds at this moment, as its leader says. A stream that is gone is made again. */
  async tail(options: StreamOptions): Promise<StreamTail> {
    const { nats } = this.#reachable();
    const server = nats.info?.server_id;
    const { state, created, cluster } = await this.#info(options);
    return {
      first: state.first_seq,
      last: state.last_seq,
      lastTime: state.last_ts,
      incarnation: incarnationOf(created, cluster, server === nats.info?.server_id && nats.info),
    };
  }

  /** The message at a sequence, or undefined when there is none. */
  async messageAt(sequence: number): Promise<StoredMessage | undefined> {
    this.#reachable();
    try {
      const message = await this.#manager.streams.getMessage(eventStream, { seq: sequence });
      return { id: message.header.get('Nats-Msg-Id'), time: message.timestamp };
    } catch (error) {
      if (isRefusal(error, JetStreamCode.NoMessageFound)) return undefined;
      throw error;
    }
  }

  async #info(options: StreamOptions): Promise<StreamInfo> {
    try {
      return await this.#manager.streams.info(eventStream);
    } catch (error) {
      if (!isRefusal(error, JetStreamCode.StreamNotFound)) throw error;
      await this.#ensureStream(options);
      return this.#manager.streams.info(eventStream);
    }
  }

  /** The client would keep requests until the link is back. */
  #reachable(): Link {
    if (!this.#link.up) throw new Error('no connection to NATS');
    return this.#link;
  }
}

/** A message can only be lost between two incarnations: by a server that ends, or by another that becomes the leader. */
function incarnationOf(
  created: string,
  cluster: StreamInfo['cluster'],
  server: Pick<ServerInfo, 'server_id' | 'server_name'> | false | undefined,
): string | undefined {
  // The client's types do not have it yet. Streams of one replica have none.
  const { leader, leader_since: since } = (cluster ?? {}) as LedCluster;
  if (!leader) return undefined;
  if (since) return `${created} ${leader} ${since}`;
  // A server has a new id whenever it starts, and its name for ever.
  return server && server.server_name === leader ? `${created} ${server.server_id}` : undefined;
}

interface LedCluster {
  leader?: string;
  leader_since?: string;
}
