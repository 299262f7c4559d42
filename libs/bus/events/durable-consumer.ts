import { eventStream } from '@roster/contracts';
import {
  AckPolicy,
  DeliverPolicy,
  nanos,
  type ConsumerMessages,
  type JetStreamManager,
} from 'nats';
import type { Link } from '../link.js';
import { isRefusal, JetStreamCode } from '../trouble.js';
import type { EventPublisher, StreamOptions } from './publish.js';

/** Maximum number of outstanding messages over all processes. */
const openMax = 4096;
/** Messages that the client holds before they are handled. */
export const pullMax = 256;
/** A missing consumer or stream is detected within twice this time. */
const idleHeartbeatMs = 5000;

export interface DurableConsumerOptions {
  durable: string;
  stream: StreamOptions;
  ackWaitMs: number;
  inFlightMax: number;
}

/** State of the stream, and of this consumer over all processes. */
export interface StreamStatus {
  /** Messages not yet delivered. */
  pending: number;
  /** Messages delivered and not acknowledged. */
  unacknowledged: number;
  /** All events up to this sequence are acknowledged. */
  acknowledgedSequence: number;
  messages: number;
  bytes: number;
  /** Configured replicas of the stream, and those that are current. */
  replicas: number;
  replicasCurrent: number;
}

/** The durable consumer in NATS: creates it, updates its settings, and pulls messages from it. */
export class DurableConsumer {
  readonly #link: Link;
  readonly #manager: JetStreamManager;
  readonly #publisher: EventPublisher;
  readonly #options: DurableConsumerOptions;

  constructor(
    link: Link,
    manager: JetStreamManager,
    publisher: EventPublisher,
    options: DurableConsumerOptions,
  ) {
    this.#link = link;
    this.#manager = manager;
    this.#publisher = publisher;
    this.#options = options;
  }

  /**
   * Pulls messages until the returned iterator is stopped or the consumer is gone.
   *
   * A NATS server that lost power may have lost acknowledgement state and even events. Therefore every event that the stream
   * holds at this moment, up to `last`, may have been handled. Timestamps cannot tell; the sequence can. `stream` is the time at
   * which the stream was created.
   */
  async attach(): Promise<{ messages: ConsumerMessages; last: number; stream: string }> {
    const { durable, stream, inFlightMax } = this.#options;
    const { last, created } = await this.#publisher.bounds(stream);
    await this.#ensure();
    const consumer = await this.#link.nats.jetstream().consumers.get(eventStream, durable);
    const messages = await consumer.consume({
      max_messages: Math.min(pullMax, inFlightMax),
      idle_heartbeat: idleHeartbeatMs,
      // Ends the iteration, so that the consumer is created again.
      abort_on_missing_resource: true,
    });
    return { messages, last, stream: created };
  }

  async #ensure(): Promise<void> {
    const { durable, ackWaitMs } = this.#options;
    const { consumers } = this.#manager;
    const changeable = { ack_wait: nanos(ackWaitMs), max_ack_pending: openMax };
    try {
      await consumers.update(eventStream, durable, changeable);
    } catch (error) {
      if (!isRefusal(error, JetStreamCode.ConsumerNotFound)) throw error;
      await consumers.add(eventStream, {
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ...changeable,
      });
    }
  }

  /** Sends two requests to NATS. Rejects without a connection. */
  async status(): Promise<StreamStatus> {
    // The client would buffer the requests until reconnection.
    if (!this.#link.up) throw new Error('no connection to NATS');
    const { consumers, streams } = this.#manager;
    const [consumer, { state, config, cluster }] = await Promise.all([
      consumers.info(eventStream, this.#options.durable),
      streams.info(eventStream),
    ]);
    const followers = cluster?.replicas?.filter(({ current, offline }) => current && !offline);
    return {
      pending: consumer.num_pending,
      unacknowledged: consumer.num_ack_pending,
      acknowledgedSequence: consumer.ack_floor.stream_seq,
      messages: state.messages,
      bytes: state.bytes,
      replicas: config.num_replicas,
      // A server outside a cluster reports no leader, or itself.
      replicasCurrent:
        (cluster?.leader || config.num_replicas === 1 ? 1 : 0) + (followers?.length ?? 0),
    };
  }
}
