import { Fault } from '@roster/contracts';

const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/** @throws Fault `invalid` */
export function readIdempotencyKey(given: string | string[] | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && visibleAscii.test(given)) return given;
  throw new Fault(
    'invalid',
    'The Idempotency-Key header must be 1 to 255 visible ASCII characters.',
  );
}
