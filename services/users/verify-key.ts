import { timingSafeEqual } from 'node:crypto';
import type { Handler } from '@roster/bus';
import { encodeId, Fault, type Operations, type OutputOf, type Scope } from '@roster/contracts';
import type { Statement } from '@roster/service/storage';
import type { UsersService } from './service.js';

type VerifyKey = Operations['keys.verify'];

/** Returns the owners of keys, and updates their last access time within 30 s. */
export const verifyKey =
  ({ database }: UsersService): Handler<VerifyKey> =>
  async (calls) => {
    const requested = calls.map(({ input }) => Buffer.from(input.sha256, 'hex'));
    const now = new Date();
    const rows = await database.query<KeyRow>(verify, [requested, now.toISOString()]);
    const found = new Map(rows.map((row) => [row.n, row]));
    return requested.map((sha256, index) => {
      const row = found.get(index + 1);
      return row && timingSafeEqual(row.sha256, sha256) ? answer(row) : refused('unknown');
    });
  };

interface KeyRow {
  n: number;
  workspace_id: string;
  id: string;
  user_id: string;
  sha256: Buffer;
  scopes: Scope[];
  state: 'valid' | 'revoked' | 'expired';
  /** Milliseconds since the epoch. */
  expires_ms: number | null;
}

function answer({
  workspace_id,
  id,
  user_id,
  scopes,
  state,
  expires_ms,
}: KeyRow): OutputOf<VerifyKey> | Fault {
  if (state !== 'valid') return refused(state);
  return {
    keyId: encodeId('key', id),
    workspaceId: encodeId('workspace', workspace_id),
    userId: encodeId('user', user_id),
    scopes,
    expiresAt: expires_ms === null ? null : new Date(Math.round(expires_ms)).toISOString(),
  };
}

/** The response does not show that a key was valid before. */
const refused = (reason: string): Fault =>
  new Fault('unauthenticated', 'The API key is not valid.', { reason });

/**
 * One look-up in api_keys_sha256 per call, without a workspace, because the key determines it. A locked user is not updated:
 * the concurrent change is an access too.
 */
const verify: Statement = {
  name: 'keys.verify',
  text: `
    with found as materialized (
      select a.n, k.*,
        case when k.revoked_at is not null then 'revoked' when k.expires_at <= $2 then 'expired' else 'valid' end as state
      from unnest($1::bytea[]) with ordinality as a (sha256, n),
        lateral (select * from users.api_keys k where k.sha256 = a.sha256 offset 0) k
    ), due as (
      select u.workspace_id, u.id from users.users u
      where (u.workspace_id, u.id) in (select workspace_id, user_id from found where state = 'valid')
        and u.last_accessed_at < $2::timestamptz - interval '30 seconds'
      for no key update skip locked
    ), seen as (
      update users.users u set last_accessed_at = $2
      from due where u.workspace_id = due.workspace_id and u.id = due.id
    )
    select n::int, workspace_id, id, user_id, sha256, scopes, state,
      (extract(epoch from expires_at) * 1000)::float8 as expires_ms
    from found`,
};
