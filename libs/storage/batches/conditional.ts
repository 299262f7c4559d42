import type { Call } from '@roster/bus';
import { Fault, versionOf, type InputOf, type Operation } from '@roster/contracts';
import type { Session } from '../database.js';
import type { SessionHandler } from './session-handler.js';

/** The resources that calls concern. */
export interface ConditionedResources<O extends Operation> {
  /** The operation that returns such a resource with an ETag. */
  get: Operation;
  /**
   * Locks the resources until the end of the transaction, in the order of their keys, and returns the JSON that `get` would
   * return for each call; undefined for one that does not exist.
   */
  lock(calls: readonly Call<InputOf<O>>[], inner: Session): Promise<(string | undefined)[]>;
}

/**
 * Compares If-Match in the transaction of the change, while the resource is locked: of two simultaneous changes of the same
 * version, one is refused. Batches without such calls are handled as before.
 */
export function conditional<O extends Operation>(
  { get, lock }: ConditionedResources<O>,
  handle: SessionHandler<O>,
): SessionHandler<O> {
  const { partsOf } = handle;
  const handleMatching: SessionHandler<O> = (calls, session) => {
    if (calls.every(({ ifMatch }) => ifMatch === undefined)) return handle(calls, session);
    return session.transaction(async (inner) => {
      const shown = await lock(calls, inner);
      const refusals = calls.map((call, index) => {
        const text = shown[index];
        return text === undefined ? undefined : refusalOf(call, get, text);
      });
      const admitted = calls.filter((_, index) => !refusals[index]);
      const given = admitted.length > 0 ? (await handle(admitted, inner)).values() : [].values();
      return refusals.map((refusal) => refusal ?? given.next().value!);
    });
  };
  return Object.assign(handleMatching, partsOf && { partsOf });
}

/**
 * For a handler that has locked the resource itself.
 *
 * @param shown the JSON that `get` would return; called only for a call with If-Match
 *
 * @throws Fault `precondition_failed`
 */
export function requireMatch(call: Pick<Call, 'ifMatch'>, get: Operation, shown: () => string) {
  if (call.ifMatch === undefined) return;
  const refusal = refusalOf(call, get, shown());
  if (refusal) throw refusal;
}

function refusalOf(
  { ifMatch }: Pick<Call, 'ifMatch'>,
  get: Operation,
  shown: string,
): Fault | undefined {
  if (ifMatch === undefined) return undefined;
  const version = versionOf(get, shown);
  if (ifMatch.includes(version)) return undefined;
  return new Fault(
    'precondition_failed',
    'The resource has changed since the version in If-Match. Get it again, and repeat the change with its new ETag.',
    { entityTag: version },
  );
}
