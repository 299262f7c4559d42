import { isDeepStrictEqual } from 'node:util';
import {
  eventMessageBytesMax,
  eventStream,
  eventSubject,
  storedEvents,
  streamAdministrator,
} from '@roster/contracts';
import {
  nanos,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type ServerInfo,
  type StreamInfo,
} from 'nats';
import type { Link } from '../link.js';
import { headersOf } from '../wire.js';
import { isRefusal, JetStreamCode } from '../trouble.js';
import { headersFor, type EventMessage } from './event-message.js';
import { StreamPublisher } from './stream-publisher.js';

export interface StreamOptions {
  replicas: number;
  maxAgeSeconds: number;
}

/** State of the stream at one moment. */
export interface StreamTail {
  /** When the stream was created. */
  created: string;
  first: number;
  last: number;
  /** When the message at `last` was stored, in nanoseconds. A message stored later at the same sequence has another time. */
  lastTime: string;
  /**
   * Identifies the term of the leader. While it is unchanged, the stream has lost no acknowledged message. Undefined if NATS
   * does not report it, as for a stream with one replica in a cluster.
   */
  incarnation: string | undefined;
}

export interface StoredMessage {
  /** Its `Nats-Msg-Id`; empty if it has none that can be read. */
  id: string;
  /** When it was stored, as in `StreamTail`. */
  time: string;
}

/** Deduplication window of `Nats-Msg-Id`. */
const dedupeSeconds = 600;
const publishTimeoutMs = 5000;
const eventSubjects = 'events.>';

/** Publishes messages with events to JetStream, and reads the state of the stream. */
export class EventPublisher {
  readonly #link: Link;
  readonly #stream: StreamPublisher;
  readonly #manager: JetStreamManager;

  private constructor(link: Link, manager: JetStreamManager) {
    this.#link = link;
    this.#stream = new StreamPublisher(link, publishTimeoutMs);
    this.#manager = manager;
  }

  /**
   * Creates the stream if it is missing; the administrator of the stream updates its settings. Safe to run concurrently in several
   * processes.
   */
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
      subjects: [eventSubjects],
      republish: { src: eventSubjects, dest: storedEvents },
      max_age: nanos(maxAgeSeconds * 1000),
      duplicate_window: nanos(dedupeSeconds * 1000),
      num_replicas: replicas,
      max_msg_size: eventMessageBytesMax,
    };
    const { streams } = this.#manager;
    try {
      const { config } = await streams.info(eventStream);
      // Otherwise NATS (2.12) stores another creation time, which is part of positions in the stream, with each update after a restart.
      const isSame = isDeepStrictEqual({ ...config, ...settings }, config);
      if (this.#link.name === streamAdministrator && !isSame)
        await streams.update(eventStream, settings);
    } catch (error) {
      if (!isRefusal(error, JetStreamCode.StreamNotFound)) throw error;
      const fixed = { storage: StorageType.File, retention: RetentionPolicy.Limits };
      await streams.add({ name: eventStream, ...settings, ...fixed });
    }
  }

  /**
   * Resolves with the stream sequence of the message. The server acknowledges before it calls fsync, therefore the outbox keeps
   * the row.
   *
   * @throws if NATS is unreachable or does not acknowledge in time; the message may have been stored
   */
  publish(message: EventMessage): Promise<number> {
    const subject = eventSubject(message.workspaceId, message.kind);
    return this.#stream.publish(subject, message.body, headersFor(message));
  }

  /** As `tail`, after creating the stream if it is missing. */
  async bounds(options: StreamOptions): Promise<StreamTail> {
    await this.#ensureStream(options);
    return this.tail(options);
  }

  /** State of the stream as reported by its leader. A missing stream is created again. */
  async tail(options: StreamOptions): Promise<StreamTail> {
    const { nats } = this.#reachable();
    const server = nats.info?.server_id;
    const { state, created, cluster } = await this.#info(options);
    return {
      created,
      first: state.first_seq,
      last: state.last_seq,
      lastTime: state.last_ts,
      incarnation: incarnationOf(created, cluster, server === nats.info?.server_id && nats.info),
    };
  }

  /** The message at a sequence, or undefined if there is none. */
  async messageAt(sequence: number): Promise<StoredMessage | undefined> {
    this.#reachable();
    try {
      const message = await this.#manager.streams.getMessage(eventStream, { seq: sequence });
      return { id: headersOf(message)?.get('Nats-Msg-Id') ?? '', time: message.timestamp };
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

  /** The client would buffer requests until reconnection. */
  #reachable(): Link {
    if (!this.#link.up) throw new Error('no connection to NATS');
    return this.#link;
  }
}

/** Messages can be lost only between two incarnations: when the server stops or another one becomes the leader. */
function incarnationOf(
  created: string,
  cluster: StreamInfo['cluster'],
  server: Pick<ServerInfo, 'server_id' | 'server_name'> | false | undefined,
): string | undefined {
  // The types of the client lack this field. Streams with one replica do not have it.
  const { leader, leader_since: since } = (cluster ?? {}) as LedCluster;
  if (!leader) return undefined;
  if (since) return `${created} ${leader} ${since}`;
  // The ID of a server changes with every start; its name does not.
  return server && server.server_name === leader ? `${created} ${server.server_id}` : undefined;
}

interface LedCluster {
  leader?: string;
  leader_since?: string;
}
