import { Fault, type Caller, type Operation } from '@roster/contracts';
import type { LargeHandling } from './large-handling.js';

/** A call that is unanswered, or that is answered and still in its queue. */
export interface PendingCall {
  caller: Caller;
  operation: Operation;
  large: LargeHandling;
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
