import { encodeId, eventStream } from '@roster/contracts';
import { eventually } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import {
  consumeEvents,
  type Bus,
  type ConsumedMessage,
  type EventConsumer,
  type EventPublisher,
} from '../../index.js';

export const stream = { replicas: 1, maxAgeSeconds: 3600 };
export const durable = 'readers';
export const workspaceId = 'wksp_01h455vb4pex5vsknk084sn02q';
export const silent = { debug: () => undefined, warn: () => undefined, error: () => undefined };

export interface Reader {
  consumer: EventConsumer;
  seen: ConsumedMessage[];
}

export async function readerFor(
  t: ExecutionContext,
  bus: Bus,
  handle: (event: ConsumedMessage) => Promise<void> = async () => undefined,
  options: { inFlightMax?: number; inFlightBytesMax?: number; ackWaitMs?: number } = {},
): Promise<Reader> {
  const seen: ConsumedMessage[] = [];
  const consumer = await consumeEvents(
    bus.link,
    silent,
    { durable, stream, inFlightMax: 64, ackWaitMs: 60_000, retryAfterMs: 50, ...options },
    async (event) => {
      seen.push(event);
      await handle(event);
    },
  );
  t.teardown(() => consumer.stop());
  return { consumer, seen };
}

export const id = (n: number) =>
  encodeId('event', `01935a2e-7b00-7000-8000-${String(n).padStart(12, '0')}`);
export const publish = (publisher: EventPublisher, n: number, republished = false) =>
  publisher.publish({
    id: id(n),
    workspaceId,
    kind: 'CONTACT_CREATED',
    body: `{"n":${n},"name":"Zoë 🦊"}`,
    republished,
  });
export async function publishMany(
  publisher: EventPublisher,
  from: number,
  to: number,
): Promise<void> {
  for (let n = from; n < to; n += 1) await publish(publisher, n);
}
export const idsOf = (events: readonly ConsumedMessage[]) => [
  ...new Set(events.map(({ id }) => id)),
];

/** Events without acknowledgement. */
export async function open(bus: Bus): Promise<number> {
  const manager = await bus.link.nats.jetstreamManager();
  const info = await manager.consumers.info(eventStream, durable);
  return info.num_ack_pending + info.num_pending;
}

/** Resolves when this many readers have sent pull requests: events published later are new to them. */
export const attached = (bus: Bus, readers = 1) =>
  eventually(async () => {
    const manager = await bus.link.nats.jetstreamManager();
    return (await manager.consumers.info(eventStream, durable)).num_waiting >= readers;
  });
