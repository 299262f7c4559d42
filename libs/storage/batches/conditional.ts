import type { Answer, Call } from '@roster/bus';
import { Fault, versionOf, type InputOf, type Operation, type OutputOf } from '@roster/contracts';
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
      const isRefused = (index: number) => {
        const text = shown[index];
        return text !== undefined && !isMatch(calls[index]!, get, text);
      };
      const admitted = [...calls.keys()].filter((index) => !isRefused(index));
      const answers: Answer<OutputOf<O>>[] = calls.map(() => preconditionFailed);
      if (admitted.length === 0) return answers;
      const given = await handle(
        admitted.map((index) => calls[index]!),
        inner,
      );
      for (const [at, index] of admitted.entries()) answers[index] = given[at]!;
      return answers;
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
  if (call.ifMatch !== undefined && !isMatch(call, get, shown())) throw preconditionFailed;
}

const isMatch = ({ ifMatch }: Pick<Call, 'ifMatch'>, get: Operation, shown: string): boolean =>
  ifMatch === undefined || ifMatch.includes(versionOf(get, shown));

const preconditionFailed = new Fault(
  'precondition_failed',
  'The resource has changed since the version in If-Match. Get it again, and repeat the change with its new ETag.',
);
