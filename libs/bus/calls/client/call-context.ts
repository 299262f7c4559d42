import type { Call } from '../frame/call.js';
import type { LargeHandling } from '../batching/large-handling.js';

/** Everything that a call carries besides its input. */
export interface CallContext extends Omit<Call, 'input' | 'bytes'> {
  /** Without it, a large result is in memory only until the call is answered. */
  large?: LargeHandling;
  /** Whether the call fails at once if no process serves the operation, instead of waiting for a restart. */
  triesOnce?: true;
  /** Called before the result, if it is the stored response of an earlier call with the same Idempotency-Key. */
  onReplayed?(): void;
  /** Whether the caller no longer waits for the answer. A call that has waited in a queue and was not sent is then dropped. */
  isAbandoned?(): boolean;
}
