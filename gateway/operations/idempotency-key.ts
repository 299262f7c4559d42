import { Fault } from '@roster/contracts';

export const idempotencyKeyMax = 255;
const visibleAscii = /^[\x21-\x7e]+$/;

/** @throws Fault `invalid` */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && header.length <= idempotencyKeyMax && visibleAscii.test(header))
    return header;
  throw new Fault(
    'invalid',
    `The Idempotency-Key header must be 1 to ${idempotencyKeyMax} visible ASCII characters.`,
  );
}
