import { decodeId, eventStream, eventSubject } from '@roster/contracts';
import { AckPolicy, DeliverPolicy, nanos, NatsError, nuid, type JsMsg } from 'nats';
import { unavailable } from '../calls/frame/faults.js';
import type { Link } from '../link.js';
import type { FollowedEvent } from './follow.js';
import { headersOf } from './headers-of.js';
import { republishedHeader } from './publish.js';

/** An event of one workspace, with what the stream recorded about it. */
export interface LoggedEvent extends FollowedEvent {
  /** When the stream stored it, in milliseconds since the epoch. */
  storedMs: number;
  /** Whether it may have been published before, at an earlier position that was lost. */
  republished: boolean;
}

export interface ReadEventsOptions {
  workspaceId: string;
  /** Only events that were stored at or after this time, in milliseconds since the epoch. */
  fromMs?: number | undefined;
}

/** Events that one request fetches. */
const fetchMax = 100;
/** The server deletes the consumer of a reader that has died. */
const inactiveMs = 10_000;
/** The server counts nanoseconds in 64 bits. A later start overflows, and becomes one before the first event. */
const fromMsMax = Number((2n ** 63n - 1n) / 1_000_000n);
/** Shorter than the deadline of API requests, which are then answered `unavailable` and not `timeout`. */
const timeoutMs = 2500;

/**
 * Reads the events of one workspace that the stream holds at this moment, in the order in which they were stored. An event that is
 * stored later follows all of them.
 *
 * @throws Fault `unavailable`
 */
export async function* readEvents(
  link: Link,
  { workspaceId, fromMs }: ReadEventsOptions,
): AsyncGenerator<LoggedEvent, void, void> {
  if (!link.up) throw unavailable('no connection to NATS');
  if (fromMs !== undefined && fromMs > fromMsMax) return;
  try {
    const manager = await link.nats.jetstreamManager({ checkAPI: false, timeout: timeoutMs });
    const info = await manager.consumers.add(eventStream, {
      name: nuid.next(),
      ack_policy: AckPolicy.None,
      filter_subject: eventSubject(workspaceId, '*'),
      inactive_threshold: nanos(inactiveMs),
      mem_storage: true,
      num_replicas: 1,
      ...(fromMs === undefined
        ? { deliver_policy: DeliverPolicy.All }
        : {
            deliver_policy: DeliverPolicy.StartTime,
            opt_start_time: new Date(fromMs).toISOString(),
          }),
    });
    try {
      const consumer = link.nats.jetstream().consumers.getPullConsumerFor(info);
      for (let left = info.num_pending; left > 0;) {
        const count = Math.min(left, fetchMax);
        const messages = await consumer.fetch({ max_messages: count, expires: timeoutMs });
        let fetched = 0;
        for await (const message of messages) {
          fetched += 1;
          const event = loggedEvent(message);
          // A service with stolen credentials can store other messages.
          if (decodeId('event', event.id) !== undefined) yield event;
        }
        if (fetched < count) throw unavailable('the event stream did not send all events in time');
        left -= fetched;
      }
    } finally {
      // The server deletes it otherwise, too.
      if (link.up) manager.consumers.delete(eventStream, info.name).catch(() => {});
    }
  } catch (error) {
    if (error instanceof NatsError) throw unavailable(error.message, error);
    throw error;
  }
}

function loggedEvent(message: JsMsg): LoggedEvent {
  const headers = headersOf(message);
  return {
    id: headers?.get('Nats-Msg-Id') ?? '',
    kind: message.subject.slice(message.subject.lastIndexOf('.') + 1),
    // `data` is a part of the buffer with the headers: an event that is kept would keep its details.
    body: new Uint8Array(message.data),
    storedMs: Math.floor(message.info.timestampNanos / 1e6),
    republished: headers?.has(republishedHeader) ?? false,
  };
}
