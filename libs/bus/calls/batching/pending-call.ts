import { Fault, type Caller, type Operation } from '@roster/contracts';
import { unavailable } from '../frame/faults.js';
import type { LargeHandling } from './large-handling.js';

/** Shorter waits are part of every call. A client may close its direction of the connection right after its request, and read on. */
const abandonedAfterMs = 50;

/** A call that is unanswered, or that is answered and still in its queue. */
export interface PendingCall {
  caller: Caller;
  operation: Operation;
  large: LargeHandling;
  /** See `CallContext`. */
  isAbandoned?: (() => boolean) | undefined;
  /** See `CallContext`. */
  triesOnce?: true | undefined;
  /** See `CallContext`. */
  onReplayed?: (() => void) | undefined;
  /** The call without its caller, as JSON text. */
  encoded: string;
  bytes: number;
  /** Milliseconds since the epoch. */
  deadline: number;
  queuedAt: number;
  /** Position in the order in which calls of a queue are sent. */
  order: number;
  /** Counts the call until it is answered. */
  queue: { close(): void };
  /** Null once the call is answered. */
  outcome: PromiseWithResolvers<Uint8Array> | null;
}

/** Answers a call, once: later results are ignored. */
export function settle(call: PendingCall, result: Uint8Array | Fault): void {
  const { outcome, queue } = call;
  if (!outcome) return;
  call.outcome = null;
  queue.close();
  if (result instanceof Fault) outcome.reject(result);
  else outcome.resolve(result);
}

/**
 * Drops a queued call that its caller has abandoned.
 *
 * @param now by `performance.now()`
 */
export function dropAbandoned(
  call: PendingCall,
  now: number,
  onDropped: (call: PendingCall) => void,
): void {
  const { outcome, queuedAt, isAbandoned } = call;
  if (!outcome || now - queuedAt < abandonedAfterMs || !isAbandoned?.()) return;
  onDropped(call);
  settle(call, unavailable('the client closed the connection before the call was sent'));
}
