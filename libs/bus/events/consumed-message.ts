import { isUtf8 } from 'node:buffer';
import type { CarriedEvent, StreamPosition } from '@roster/contracts';
import type { MsgHdrs } from 'nats';
import { eventsIn } from './event-message.js';

/** A message of the stream: one or more events of the same workspace and kind. */
export interface ConsumedMessage {
  /** ID of its first event, in external form. */
  id: string;
  /** In external form. */
  workspaceId: string;
  rawWorkspaceId: string;
  kind: string;
  /**
   * Reads the events. A message that nobody subscribes to need not be read.
   *
   * @throws Unusable if one of them is not an event
   */
  events: () => CarriedEvent[];
  /** Whether its events may have been handled before: the handler must check. Always true for a message that was handled. */
  suspect: boolean;
  /** How often the consumer has delivered it, to any process, this delivery included. */
  deliveries: number;
  /** Where the stream holds it. */
  position: StreamPosition;
  /** Whether it may have been published before, at an earlier position. */
  republished: boolean;
}

/** The events of a message. @throws Unusable */
export function usableEventsIn(data: Uint8Array, headers: MsgHdrs | undefined): CarriedEvent[] {
  // PostgreSQL would reject it, and with it the whole batch that a statement writes.
  if (!isUtf8(data) || data.includes(0)) throw new Unusable('it is not text');
  const events = eventsIn(data, headers);
  if (events.some(({ id }) => id === '')) throw new Unusable('it has an event without an ID');
  return events;
}

/** Thrown by a handler for a message that can never be handled. It is logged and not delivered again. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** Thrown by a handler for a message that another process may be able to handle. It is delivered again after this delay. */
export class Deferred extends Error {
  override readonly name = 'Deferred';
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns undefined if the message was handled synchronously, otherwise a promise that resolves when it is handled. */
export type HandleMessage = (message: ConsumedMessage) => void | Promise<void>;
