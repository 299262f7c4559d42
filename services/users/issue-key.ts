import { createHash, randomInt } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { base62, checksumOf, type Scope } from '@roster/contracts';
import type { IdClock } from '@roster/service';
import { ApiKey } from './entities/api-key.entity.js';

interface NewKey {
  workspaceId: string;
  userId: string;
  scopes: readonly Scope[];
  expiresAt: Date | null;
}

/** Creates a key for a user. The key itself is known only now. */
export async function issueKey(
  em: EntityManager,
  ids: IdClock,
  { workspaceId, userId, scopes, expiresAt }: NewKey,
): Promise<{ id: string; apiKey: string }> {
  const apiKey = randomKey();
  const id = ids.next();
  const sha256 = createHash('sha256').update(apiKey).digest();
  await em.insert(ApiKey, {
    workspaceId,
    id,
    user: [workspaceId, userId],
    sha256,
    scopes: [...new Set(scopes)],
    createdAt: new Date(),
    expiresAt,
  });
  return { id, apiKey };
}

/** About 178 random bits, with uniformly distributed characters (`randomInt` has no modulo bias), and their checksum. */
function randomKey(): string {
  const random = Array.from({ length: 30 }, () => base62[randomInt(base62.length)]).join('');
  return `rsk_${random}${checksumOf(random)}`;
}
