import { apiKeysMax, Fault, type Scope } from '@roster/contracts';
import type { IdClock } from '@roster/process';
import { violatedForeignKey, type Session, type Statement } from '@roster/storage';
import { ApiKey } from '../entities/api-key.entity.js';
import { randomSecret } from './secret.js';

export interface NewKey {
  workspaceId: string;
  userId: string;
  name: string;
  scopes: readonly Scope[];
  expiresAt: Date | null;
}

/**
 * Creates a key for a user. Its secret is known only now.
 *
 * @param session a transaction
 *
 * @param userGone the fault if the user was deleted meanwhile
 *
 * @throws Fault `limit_reached`
 */
export async function issueKey(
  session: Session,
  ids: IdClock,
  { workspaceId, userId, name, scopes, expiresAt }: NewKey,
  userGone?: () => Fault,
): Promise<{ key: ApiKey; secret: string }> {
  const { em } = session;
  await session.query(queue, [workspaceId]);
  if ((await em.count(ApiKey, { workspaceId, revokedAt: null })) >= apiKeysMax) throw full;
  const { secret, sha256, prefix } = randomSecret();
  const key = em.create(ApiKey, {
    workspaceId,
    id: ids.next(),
    user: [workspaceId, userId],
    sha256,
    prefix,
    name,
    scopes: [...new Set(scopes)],
    createdAt: new Date(),
    expiresAt,
  });
  try {
    await em.insert(key);
  } catch (error) {
    throw userGone && violatedForeignKey(error) !== undefined ? userGone() : error;
  }
  return { key, secret };
}

const full = new Fault('limit_reached', `A workspace can have at most ${apiKeysMax} API keys.`);

/** Serializes creations in one workspace, so that none exceeds the limit. */
const queue: Statement = {
  name: 'keys.queue',
  text: `select pg_advisory_xact_lock(hashtextextended('roster:keys:' || $1, 0))`,
};
