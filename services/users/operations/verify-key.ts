import type { CallerSigner, Handler } from '@roster/bus';
import {
  encodeId,
  Fault,
  workspaceSuspended,
  type Operations,
  type OutputOf,
  type RequestQuota,
  type Scope,
} from '@roster/contracts';
import { isSameDigest } from '@roster/process';
import type { Statement } from '@roster/storage';
import { quotaField, requestQuotaOf } from '../keys/request-quota.js';
import type { UsersService } from '../service.js';

type VerifyKey = Operations['keys.verify'];

/**
 * Returns the owners of keys. Updates the last access time of a user at most every 30 s, and the last use of a key at most every
 * minute: gateways look a key up again every few seconds, so that both lag by about a minute, and nothing is written per request.
 */
export const verifyKey =
  ({ database, signer }: UsersService): Handler<VerifyKey> =>
  async (calls) => {
    const requested = calls.map(({ input }) => Buffer.from(input.sha256, 'hex'));
    const now = new Date();
    const rows = await database.query<KeyRow>(verify, [
      requested,
      now.toISOString(),
      calls.map(({ input }) => input.address ?? null),
    ]);
    const found = new Map(rows.map((row) => [row.n, row]));
    return requested.map((sha256, index) => {
      const row = found.get(index + 1);
      return row && isSameDigest(row.sha256, sha256) ? answer(row, signer) : refused('unknown');
    });
  };

interface KeyRow {
  n: number;
  workspace_id: string;
  id: string;
  user_id: string;
  /** The hash of the secret that was found: the current or the previous one. */
  sha256: Buffer;
  scopes: Scope[];
  state: 'valid' | 'revoked' | 'expired' | 'suspended';
  /** End of the secret, in milliseconds since the epoch. */
  expires_ms: number | null;
  /** Origins of its workspace. */
  origins: string[];
  quota: RequestQuota | null;
}

function answer(
  { workspace_id, id, user_id, scopes, state, expires_ms, origins, quota }: KeyRow,
  signer: CallerSigner | undefined,
): OutputOf<VerifyKey> | Fault {
  if (state === 'suspended') return workspaceSuspended();
  if (state !== 'valid') return refused(state);
  const caller = {
    keyId: encodeId('key', id),
    workspaceId: encodeId('workspace', workspace_id),
    userId: encodeId('user', user_id),
    scopes,
  };
  return {
    ...caller,
    expiresAt: expires_ms === null ? null : new Date(Math.round(expires_ms)).toISOString(),
    origins,
    ...quotaField(quota),
    ...(signer && { proof: signer.sign(caller) }),
  };
}

/** The response does not show that a key was valid before. */
const refused = (reason: string): Fault =>
  new Fault('unauthenticated', 'The API key is not valid.', { reason });

/**
 * A look-up in api_keys_sha256 and one in api_keys_previous_sha256 per call, without a workspace, because the secret determines
 * it. A locked user is not updated: the concurrent change is an access too. Nor is a locked key: the next look-up records its use.
 */
const verify: Statement = {
  name: 'keys.verify',
  text: `
    with found as materialized (
      select a.n, a.address, k.*,
        case when k.revoked_at is not null then 'revoked' when k.ends_at <= $2 then 'expired'
          when exists (select from users.workspaces w where w.id = k.workspace_id and w.status <> 'active') then 'suspended'
          else 'valid' end as state
      from unnest($1::bytea[], $3::text[]) with ordinality as a (sha256, address, n),
        lateral (
          select workspace_id, id, user_id, sha256, scopes, revoked_at, expires_at as ends_at
          from users.api_keys where sha256 = a.sha256
          union all
          select workspace_id, id, user_id, previous_sha256, scopes, revoked_at, least(expires_at, previous_until)
          from users.api_keys where previous_sha256 = a.sha256
          offset 0
        ) k
    ), due as (
      select u.workspace_id, u.id from users.users u
      where (u.workspace_id, u.id) in (select workspace_id, user_id from found where state = 'valid')
        and u.last_accessed_at < $2::timestamptz - interval '30 seconds'
      for no key update skip locked
    ), seen as (
      update users.users u set last_accessed_at = $2
      from due where u.workspace_id = due.workspace_id and u.id = due.id
    ), unrecorded as (
      select k.workspace_id, k.id from users.api_keys k
      where (k.workspace_id, k.id) in (select workspace_id, id from found where state = 'valid')
        and (k.last_used_at is null or k.last_used_at < $2::timestamptz - interval '1 minute')
      for no key update skip locked
    ), used as (
      update users.api_keys k set last_used_at = $2, last_used_ip = f.address
      from unrecorded r join found f using (workspace_id, id)
      where k.workspace_id = r.workspace_id and k.id = r.id and f.state = 'valid'
    )
    select n::int, workspace_id, id, user_id, sha256, scopes, state,
      (extract(epoch from ends_at) * 1000)::float8 as expires_ms,
      array(select o.origin from users.origins o where o.workspace_id = found.workspace_id) as origins,${requestQuotaOf('found.workspace_id')}
    from found`,
};
