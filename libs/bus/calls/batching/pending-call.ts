import { Fault, type Caller, type Operation } from '@roster/contracts';
import type { Call } from '../frame/call.js';

/** Shorter waits are part of every call. A client may close its direction of the connection right after its request, and read on. */
const abandonedAfterMs = 50;

/** Everything that a call carries besides its input. */
export interface CallContext extends Omit<Call, 'input' | 'bytes'> {
  /** Whether the call fails at once if no process serves the operation, instead of waiting for a restart. */
  triesOnce?: true;
  /** Called before the result, if it is the stored response of an earlier call with the same Idempotency-Key. */
  onReplayed?(): void;
  /** Whether the caller no longer waits for the answer. A call that has waited in a queue and was not sent is then dropped. */
  isAbandoned?(): boolean;
}

/** A call that is unanswered, or that is answered and still in its queue. */
export interface PendingCall {
  operation: Operation;
  caller: Caller;
  context: Pick<CallContext, 'triesOnce' | 'onReplayed' | 'isAbandoned'>;
  /** The call without its caller, as JSON text. */
  encoded: string;
  bytes: number;
  /** As `steadyNow`. */
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

/** Whether a call that was not sent is abandoned by its caller, at `performance.now()`. */
export const isDropped = ({ outcome, queuedAt, context }: PendingCall, now: number): boolean =>
  outcome !== null && now - queuedAt >= abandonedAfterMs && context.isAbandoned?.() === true;
