import { Fault } from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import type { ApiKey } from '../entities/api-key.entity.js';

/** A key that ends sooner does not replace one that is valid for longer: there would be no time to create the next one. */
const remainingMs = 3_600_000;

/**
 * Refuses to end the last key of a workspace with the scope `user`: without one, nobody in the workspace can create a key. Another
 * one must remain, which is valid for an hour, or as long as those that end. Keys without the scope, and expired ones, can end
 * anyway. A rotated key is one key, whether or not its previous secret is valid.
 *
 * @param session a transaction that has called `queueEndings`
 *
 * @throws Fault `conflict`
 */
export async function requireOtherKey(
  session: Session,
  workspaceId: string,
  ending: readonly ApiKey[],
): Promise<void> {
  const now = Date.now();
  const ends = ending
    .filter(({ scopes }) => scopes.includes('user'))
    .map(({ expiresAt }) => expiresAt?.getTime() ?? Infinity)
    .filter((end) => end > now);
  if (ends.length === 0) return;
  const until = new Date(Math.min(Math.max(...ends), now + remainingMs));
  const ids = ending.map(({ id }) => id);
  const others = await session.query(otherKey, [workspaceId, ids, until.toISOString()]);
  if (others.length === 0) throw lastKey();
}

/** Serializes what can end the last key of a workspace. To be called before keys are locked. */
export const queueEndings = (session: Session, workspaceId: string): Promise<unknown> =>
  session.query(queue, [workspaceId]);

const lastKey = () =>
  new Fault(
    'conflict',
    'No other API key with the scope user would remain valid in the workspace, for an hour or as long as this one. Create one first.',
  );

const queue: Statement = {
  name: 'users.queue',
  text: `select pg_advisory_xact_lock(hashtextextended('roster:users:' || $1, 0))`,
};

/** A workspace has at most 1,000 keys that are not revoked. */
const otherKey: Statement = {
  name: 'keys.other',
  text: `
    select 1 from users.api_keys
    where workspace_id = $1 and id <> all ($2::uuid[]) and revoked_at is null and 'user' = any (scopes)
      and (expires_at is null or expires_at >= $3)
    limit 1`,
};
