import { randomInt } from 'node:crypto';
import { base62 } from '@roster/contracts';

/** About 190 random bits, with uniformly distributed characters (`randomInt` has no modulo bias). */
export const randomToken = (): string =>
  `wht_${Array.from({ length: 32 }, () => base62[randomInt(base62.length)]).join('')}`;
