import { Fault } from '@roster/contracts';
import type { ServerResponse } from 'node:http';

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
  /** Memory that the response keeps alive until it is read completely. */
  bytes: number;
  /** By `performance.now()`. */
  deadline: number;
}

interface UnreadOfWorkspace {
  bytes: number;
  /** Oldest first. */
  responses: Set<Unread>;
}

/**
 * Responses that the kernel has not taken completely, because their clients read too slowly. Bounds their memory and how long
 * they may take. A workspace at its share gets no further responses: its requests are refused before anything is changed. Only
 * if responses that were in flight then exceed the maximum of all, the connection of the oldest one is ended, in the workspace
 * that has most: its client cannot know whether a write was applied, unless it sent an Idempotency-Key.
 */
export class UnreadResponses {
  readonly #workspaces = new Map<string, UnreadOfWorkspace>();
  readonly #onEnded: (reason: UnreadReason, workspaceId: string) => void;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onEnded: (reason: UnreadReason, workspaceId: string) => void = () => {}) {
    this.#onEnded = onEnded;
  }

  /** Memory of all unread responses. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws Fault `unavailable` if the unread responses of the workspace take its share */
  checkShare(workspaceId: string): void {
    const own = this.#workspaces.get(workspaceId);
    if (own === undefined || own.bytes < workspaceBytesMax) return;
    throw new Fault('unavailable', 'Too many responses have not been read. Try again later.', {
      retryAfterSeconds: 1,
      reason: 'unread responses of the workspace',
    });
  }

  /** Called after a response was written and the kernel did not take all of it. */
  add(response: ServerResponse, workspaceId: string, bytes: number): void {
    const deadline = performance.now() + graceMs + (bytes / bytesPerSecondMin) * 1000;
    const unread = { response, workspaceId, bytes, deadline };
    let own = this.#workspaces.get(workspaceId);
    if (!own) this.#workspaces.set(workspaceId, (own = { bytes: 0, responses: new Set() }));
    own.responses.add(unread);
    own.bytes += bytes;
    this.#bytes += bytes;
    response.once('close', () => this.#remove(unread));
    this.#timer ??= setInterval(() => this.endExpired(), sweepMs).unref();
    while (this.#bytes > bytesMax) this.#endOldest();
  }

  /** Ends connections whose clients did not read a response in time. */
  endExpired(now = performance.now()): void {
    for (const { responses } of [...this.#workspaces.values()])
      for (const unread of [...responses])
        if (unread.deadline <= now) this.#end(unread, 'read_timeout');
    if (this.#workspaces.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #endOldest(): void {
    let most: UnreadOfWorkspace | undefined;
    for (const own of this.#workspaces.values())
      if (most === undefined || own.bytes > most.bytes) most = own;
    const [oldest] = most!.responses;
    this.#end(oldest!, 'unread_bytes');
  }

  #end(unread: Unread, reason: UnreadReason): void {
    this.#remove(unread);
    unread.response.destroy();
    this.#onEnded(reason, unread.workspaceId);
  }

  #remove(unread: Unread): void {
    const own = this.#workspaces.get(unread.workspaceId);
    if (!own?.responses.delete(unread)) return;
    own.bytes -= unread.bytes;
    this.#bytes -= unread.bytes;
    if (own.responses.size === 0) this.#workspaces.delete(unread.workspaceId);
  }
}
