import { timingSafeEqual } from 'node:crypto';

/**
 * Whether two digests of the same hash function are equal. The time it takes does not show where they differ
 * (`test/security/comparison-time.test.ts` measures it).
 */
export const isSameDigest = (one: Buffer, other: Buffer): boolean => timingSafeEqual(one, other);
