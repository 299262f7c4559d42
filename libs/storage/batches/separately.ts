import type { Call, Handler } from '@roster/bus';
import type { InputOf, Operation } from '@roster/contracts';
import { partsApart } from './parts-apart.js';

/**
 * Two handlers of an operation: one for its rare calls, each of which is a part of its own, and one for all others.
 *
 * @param others without parts
 */
export function separately<O extends Operation>(
  isRare: (call: Call<InputOf<O>>) => boolean,
  rare: Handler<O>,
  others: Handler<O>,
): Handler<O> {
  const handle: Handler<O> = (calls) => (isRare(calls[0]!) ? rare(calls) : others(calls));
  return Object.assign(handle, {
    partsOf: (calls: readonly Call<InputOf<O>>[]) => partsApart(calls, isRare),
  });
}
