import type { StreamPosition } from '@roster/contracts';

/** An event from the stream. IDs in their external form, not validated. */
export interface ConsumedEvent {
  id: string;
  rawId: string;
  workspaceId: string;
  rawWorkspaceId: string;
  kind: string;
  /** The bytes that were published. */
  body: Uint8Array;
  /** `EventDetails` as JSON, not validated. Undefined if the event has none. */
  details?: string | undefined;
  /** Whether the event may have been handled before: the handler must check. Always true for an event that was handled. */
  suspect: boolean;
  /** How often the consumer has delivered it, to any process, this delivery included. */
  deliveries: number;
  /** Where the stream holds it. */
  position: StreamPosition;
  /** Whether it may have been published before, at an earlier position. */
  republished: boolean;
}

/** Thrown by a handler for an event that can never be handled. It is logged and not delivered again. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** Thrown by a handler for an event that another process may be able to handle. It is delivered again after this delay. */
export class Deferred extends Error {
  override readonly name = 'Deferred';
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns undefined if the event was handled synchronously, otherwise a promise that resolves when it is handled. */
export type HandleEvent = (event: ConsumedEvent) => void | Promise<void>;
