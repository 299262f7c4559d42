import type { EventMessage, StoredMessage, StreamTail } from '@roster/bus';

/** The event stream as used by the outbox. All methods reject if NATS is unreachable. */
export interface OutboxStream {
  /** Resolves with the sequence of the event; for a duplicate, of the first one. Rejects if the outcome is unknown. */
  publish(message: EventMessage): Promise<number>;
  tail(): Promise<StreamTail>;
  messageAt(sequence: number): Promise<StoredMessage | undefined>;
}
