import { hash, randomInt } from 'node:crypto';
import { base62, checksumOf } from '@roster/contracts';

/** The secret of an API key, and what is stored of it. */
export interface Secret {
  secret: string;
  sha256: Buffer;
  prefix: string;
}

/** `rsk_` and 6 of the 30 random characters. The others have about 142 random bits. */
const prefixLength = 10;

/** About 178 random bits, with uniformly distributed characters (`randomInt` has no modulo bias), and their checksum. */
export function randomSecret(): Secret {
  const random = Array.from({ length: 30 }, () => base62[randomInt(base62.length)]).join('');
  const secret = `rsk_${random}${checksumOf(random)}`;
  return {
    secret,
    sha256: hash('sha256', secret, 'buffer'),
    prefix: secret.slice(0, prefixLength),
  };
}
