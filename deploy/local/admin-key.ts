import { hash, randomInt } from 'node:crypto';

import { base62, checksumOf } from '@roster/contracts';

/** A new admin key, and what the configuration of the users service contains of it. Nothing is stored. */
export function makeAdminKey(): { adminKey: string; sha256: string } {
  const random = Array.from({ length: 30 }, () => base62[randomInt(base62.length)]).join('');
  const adminKey = `rak_${random}${checksumOf(random)}`;
  return { adminKey, sha256: hash('sha256', adminKey, 'hex') };
}
