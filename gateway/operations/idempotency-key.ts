import { Fault } from '@roster/contracts';

export const idempotencyKeyMax = 255;
const visibleAscii = /^[\x21-\x7e]+$/;

/** @throws Fault `invalid` */
export function readIdempotencyKey(given: string | string[] | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && given.length <= idempotencyKeyMax && visibleAscii.test(given))
    return given;
  throw new Fault(
    'invalid',
    `The Idempotency-Key header must be 1 to ${idempotencyKeyMax} visible ASCII characters.`,
  );
}
