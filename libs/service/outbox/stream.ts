import type { EventMessage, StoredMessage, StreamTail } from '@roster/bus';

/** The stream of events as the outbox uses it. Every method throws when NATS is away. */
export interface OutboxStream {
  /** The sequence at which it is stored; of a repetition, the first one's. Rejects when the outcome is unknown. */
  publish(message: EventMessage): Promise<number>;
  tail(): Promise<StreamTail>;
  messageAt(sequence: number): Promise<StoredMessage | undefined>;
}
