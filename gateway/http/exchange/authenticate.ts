import { Fault, keyShape, type Caller } from '@roster/contracts';
import { InvalidKey, type KeyVerifier, type RequestIds } from '../../operations/key-verifier.js';

const bearer = /^bearer +([^ ]+) *$/i;

/**
 * The caller that an `Authorization` header identifies. Synchronous for a cached key.
 *
 * @throws Fault `unauthenticated`; InvalidKey if a key was sent; faults of the bus
 */
export function authenticate(
  keys: KeyVerifier,
  authorization: string | undefined,
  ids: RequestIds,
): Caller | Promise<Caller> {
  const key = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
  if (key === undefined)
    throw new Fault('unauthenticated', 'Send an API key as "Authorization: Bearer rsk_…".');
  if (!keyShape.test(key)) throw new InvalidKey();
  return keys.verify(key, ids);
}
