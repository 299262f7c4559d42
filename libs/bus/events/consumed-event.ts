/** An event off the stream. Ids in their outside form, and raw. */
export interface ConsumedEvent {
  id: string;
  rawId: string;
  workspaceId: string;
  rawWorkspaceId: string;
  kind: string;
  /** As published, byte for byte. */
  body: Uint8Array;
  /** It may have been handled before: compare with what is recorded. Never false for an event that was. */
  suspect: boolean;
}

/** Thrown by a handler for an event that no repetition would help: it is logged and not delivered again. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** Thrown by a handler for an event that another process may be able to handle: it is delivered again after this time. */
export class Deferred extends Error {
  override readonly name = 'Deferred';
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns nothing when an event is done at once, and otherwise resolves when it is. */
export type HandleEvent = (event: ConsumedEvent) => void | Promise<void>;
