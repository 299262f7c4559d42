import { eventStream } from '@roster/contracts';
import {
  AckPolicy,
  DeliverPolicy,
  nanos,
  type ConsumerMessages,
  type JetStreamManager,
  type Subscription,
} from 'nats';
import type { Link } from '../link.js';
import { isRefusal, JetStreamCode } from './jetstream-error.js';
import type { EventPublisher, StreamOptions } from './publish.js';

/** Events that the consumer may have open in all processes together. */
const openMax = 4096;
const pullMax = 256;
/** Shows within twice this time that the consumer or the stream is gone. */
const idleHeartbeatMs = 5000;

export interface DurableConsumerOptions {
  durable: string;
  stream: StreamOptions;
  ackWaitMs: number;
  inFlightMax: number;
}

/** What the stream holds, and how far this consumer is with it, in all processes together. */
export interface StreamStatus {
  /** Events not handed out yet. */
  pending: number;
  /** Events handed out and not acknowledged. */
  unacknowledged: number;
  /** Every event up to this sequence is acknowledged. */
  acknowledgedSequence: number;
  messages: number;
  bytes: number;
  /** Copies that the stream should have, and those that are up to date. */
  replicas: number;
  replicasCurrent: number;
}

/** The consumer as NATS keeps it: made where it is missing, brought to these settings, pulled from. */
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
   * Pulls from it until the returned messages are stopped, or the consumer is gone.
   *
   * A NATS machine that lost power may have forgotten which events it delivered, and even events it had: whatever the
   * stream holds at this moment, up to `last`, may have been handled. No clock tells; the sequence does.
   */
  async attach(): Promise<{ messages: ConsumerMessages; last: number }> {
    const { durable, stream, inFlightMax } = this.#options;
    const { last } = await this.#publisher.bounds(stream);
    await this.#ensure();
    const consumer = await this.#link.nats.jetstream().consumers.get(eventStream, durable);
    const messages = await consumer.consume({
      max_messages: Math.min(pullMax, inFlightMax),
      idle_heartbeat: idleHeartbeatMs,
      // Ends the iteration, so that the consumer is made again here.
      abort_on_missing_resource: true,
    });
    return { messages, last };
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

  /** Two requests to NATS. Throws when it is away. */
  async status(): Promise<StreamStatus> {
    // The client would keep the requests until the link is back.
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
      // A server without a cluster names no leader, or itself.
      replicasCurrent:
        (cluster?.leader || config.num_replicas === 1 ? 1 : 0) + (followers?.length ?? 0),
    };
  }
}

/** Ends the iteration once what NATS has already sent is here: given back, it need not wait for its time to run out. */
export function drainMessages(messages: ConsumerMessages): void {
  // The client offers `stop()` only, which lets go of messages on their way; it does mind its subscription being drained.
  const { sub } = messages as { sub?: Subscription };
  if (sub) sub.drain().catch(() => messages.stop());
  else messages.stop();
}
