import { Fault, keyShape, type Caller } from '@roster/contracts';
import { InvalidKey, type Asker, type KeyVerifier } from '../../operations/key-verifier.js';

const bearer = /^bearer +([^ ]+) *$/i;

/**
 * Who asks, from an `Authorization` header. At once for a key that is known.
 *
 * @throws Fault `unauthenticated`: InvalidKey unless no key was sent; faults of the bus
 */
export function authenticate(
  keys: KeyVerifier,
  authorization: string | undefined,
  asker: Asker,
): Caller | Promise<Caller> {
  const key = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
  if (key === undefined)
    throw new Fault('unauthenticated', 'Send an API key as "Authorization: Bearer rsk_…".');
  if (!keyShape.test(key)) throw new InvalidKey();
  return keys.verify(key, asker);
}
