import { Fault } from '@roster/contracts';
import type { ServerResponse } from 'node:http';
import { Shares } from '../shares.js';

/** Maximum memory of unread responses of all workspaces. */
const bytesMax = 64 * 1024 * 1024;
/** A workspace with more gets no further responses. */
const workspaceBytesMax = bytesMax / 2;
/** A client must read a response within this time, and a further second for each `bytesPerSecondMin`. */
const graceMs = 10_000;
const bytesPerSecondMin = 16 * 1024;
const sweepMs = 1_000;

/** Why a connection was ended: the response was not read in time, or took memory beyond the maximum. */
export type UnreadReason = 'read_timeout' | 'unread_bytes';

interface Unread {
  response: ServerResponse;
  workspaceId: string;
  /** Memory that the response keeps alive until it is read completely, and that is not counted elsewhere. */
  heldBytes: number;
  /** By `performance.now()`. */
  deadline: number;
}

/**
 * Responses, and parts of event streams, that the kernel has not taken completely, because their clients read too slowly. Bounds
 * their memory and how long they may take. A workspace at its share gets no further responses: its requests are refused before anything is changed. Only
 * if responses that were in flight then exceed the maximum of all, the connection of the oldest one is ended, in the workspace
 * that has most: its client cannot know whether a write was applied, unless it sent an Idempotency-Key.
 */
export class UnreadResponses {
  readonly #held = new Shares(bytesMax, workspaceBytesMax);
  /** Oldest first. */
  readonly #responses = new Set<Unread>();
  readonly #onEnded: (reason: UnreadReason, workspaceId: string) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onEnded: (reason: UnreadReason, workspaceId: string) => void = () => {}) {
    this.#onEnded = onEnded;
  }

  /** Memory of all unread responses. */
  get bytes(): number {
    return this.#held.total;
  }

  /** @throws Fault `unavailable` if the unread responses of the workspace take its share */
  checkShare(workspaceId: string): void {
    if (!this.#held.isUsedUp(workspaceId)) return;
    throw new Fault('unavailable', 'Too many responses have not been read. Try again later.', {
      retryAfterSeconds: 1,
      reason: 'unread responses of the workspace',
    });
  }

  /**
   * Called after a response, or a part of an event stream, was written and the kernel did not take all of it.
   *
   * @param heldBytes those of its bytes whose memory is not counted elsewhere
   *
   * @returns a function to call when the kernel has taken the part of an event stream. A whole response needs no such call, because
   *   it closes then.
   */
  add(response: ServerResponse, workspaceId: string, bytes: number, heldBytes = bytes): () => void {
    const deadline = performance.now() + graceMs + (bytes / bytesPerSecondMin) * 1000;
    const unread = { response, workspaceId, heldBytes, deadline };
    this.#responses.add(unread);
    this.#held.take(workspaceId, heldBytes);
    const remove = () => {
      response.off('close', remove);
      this.#remove(unread);
    };
    response.once('close', remove);
    this.#timer ??= setInterval(() => this.endExpired(), sweepMs).unref();
    while (this.#held.isExceeded) this.#endOldest();
    return remove;
  }

  /** Ends connections whose clients did not read a response in time. */
  endExpired(now = performance.now()): void {
    for (const unread of [...this.#responses])
      if (unread.deadline <= now) this.#end(unread, 'read_timeout');
    if (this.#responses.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Ends the oldest response of the workspace that has most. */
  #endOldest(): void {
    const { largestOwner } = this.#held;
    for (const unread of this.#responses)
      if (unread.workspaceId === largestOwner) return this.#end(unread, 'unread_bytes');
  }

  #end(unread: Unread, reason: UnreadReason): void {
    this.#remove(unread);
    unread.response.destroy();
    this.#onEnded(reason, unread.workspaceId);
  }

  #remove(unread: Unread): void {
    if (this.#responses.delete(unread)) this.#held.give(unread.workspaceId, unread.heldBytes);
  }
}
