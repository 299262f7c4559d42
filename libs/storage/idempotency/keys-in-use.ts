import type { Answer, Call } from '@roster/bus';
import { Fault } from '@roster/contracts';
import { credentialOf } from './stored-keys.js';

/** The answer to a call while another one with its key is in flight. It was not applied. */
export const keyInUse = new Fault(
  'idempotency_key_in_use',
  'A request with this Idempotency-Key is in flight. Send it again after the number of seconds in Retry-After, to get its response.',
  { retryAfterSeconds: 1 },
);

/**
 * The keys of the calls of one operation that this process is handling, by credential. Calls in other processes, and of other
 * operations, are found by the locks that transactions hold.
 */
export class KeysInUse {
  readonly #keys = new Set<string>();

  /**
   * Handles the calls. The key of each is taken until they are answered, unless it is in use, also by an earlier call of the same
   * batch.
   *
   * @param handle takes the calls, and `keyInUse` for those that must not be applied
   */
  async during(
    calls: readonly Call[],
    handle: (refusals: (Fault | undefined)[]) => Promise<Answer<unknown>[]>,
  ): Promise<Answer<unknown>[]> {
    const taken: string[] = [];
    const refusals = calls.map((call) => {
      if (call.idempotencyKey === undefined) return undefined;
      const key = `${call.caller.workspaceId} ${credentialOf(call)} ${call.idempotencyKey}`;
      if (this.#keys.has(key)) return keyInUse;
      this.#keys.add(key);
      taken.push(key);
      return undefined;
    });
    try {
      return await handle(refusals);
    } finally {
      for (const key of taken) this.#keys.delete(key);
    }
  }
}
