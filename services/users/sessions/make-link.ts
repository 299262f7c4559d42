import { randomBytes, hash } from 'node:crypto';
import { sessionLimits } from '@roster/contracts';
import type { IdClock } from '@roster/process';
import type { Session, Statement } from '@roster/storage';

interface NewLink {
  workspaceId: string;
  keyId: string;
  seconds: number;
  /** Whether who signed in with OpenID Connect gets it. */
  byIdentity: boolean;
}

/** Makes a link that opens a session of a key once. Only its hash is stored, so that a repeated call makes another one. */
export async function makeLink(
  session: Session,
  ids: IdClock,
  { workspaceId, keyId, seconds, byIdentity }: NewLink,
): Promise<{ secret: string; expiresAt: string }> {
  const secret = `rsl_${randomBytes(24).toString('hex')}`;
  const sha256 = hash('sha256', secret, 'buffer');
  const [row] = await session.query<{ expires_ms: number }>(insertLink, [
    ...[workspaceId, ids.next(), keyId, sha256, seconds, sessionLimits.linksOfKey, byIdentity],
  ]);
  return { secret, expiresAt: new Date(Math.round(row!.expires_ms)).toISOString() };
}

/** The links of the key that expired are removed, and the oldest ones beyond the limit. */
const insertLink: Statement = {
  name: 'session-links.insert',
  text: `
    with surplus as (
      delete from users.session_links where workspace_id = $1 and key_id = $3 and (
        expires_at <= clock_timestamp() or id in (
          select id from users.session_links where workspace_id = $1 and key_id = $3 order by id desc offset $6::int - 1
        )
      )
    )
    insert into users.session_links (workspace_id, id, key_id, sha256, expires_at, by_identity)
    values ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 second', $7)
    returning (extract(epoch from expires_at) * 1000)::float8 as expires_ms`,
};
