import { randomInt } from 'node:crypto';
import { base62 } from '@roster/contracts';

/** About 196 random bits, more than 24 bytes, with uniformly distributed characters (`randomInt` has no modulo bias). */
export const randomToken = (): string =>
  `wht_${Array.from({ length: 33 }, () => base62[randomInt(base62.length)]).join('')}`;
