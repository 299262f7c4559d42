import { decodeId, uuidOf, type RequestQuota } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { requestQuotaOf } from './request-quota.js';

/** A key, or a session, by its external IDs. */
interface KeyId {
  workspaceId: string;
  keyId: string;
}

export interface KeyState {
  /** Neither revoked nor expired. A session ends with its key. */
  isValid: boolean;
  /** Whether its workspace is. */
  isSuspended: boolean;
  /** Milliseconds since the epoch; null if the key does not expire. */
  expiresAt: number | null;
  /** Origins of its workspace. */
  origins: string[];
  quota: RequestQuota | null;
}

/**
 * The states of keys, in the same order, undefined for unknown ones; and what the clock of the database showed then.
 *
 * @param keys at least one
 */
export async function keyStates(
  database: Database,
  keys: readonly KeyId[],
): Promise<{ states: (KeyState | undefined)[]; databaseMs: number }> {
  const rows = await database.query<StateRow>(states, [
    keys.map(({ workspaceId }) => uuidOf('workspace', workspaceId)),
    ...credentialColumns(keys),
    new Date().toISOString(),
  ]);
  return {
    states: rows.map(({ valid, suspended, expires_ms, origins, quota }) =>
      valid === null
        ? undefined
        : {
            ...{ isValid: valid, isSuspended: suspended, origins, quota },
            expiresAt: expires_ms && Math.round(expires_ms),
          },
    ),
    databaseMs: Math.round(rows[0]!.database_ms),
  };
}

/** The UUIDs of the keys, and those of the sessions; null for the others. */
export function credentialColumns(
  credentials: readonly { keyId: string }[],
): [keys: (string | null)[], sessions: (string | null)[]] {
  const sessions = credentials.map(({ keyId }) => decodeId('session', keyId) ?? null);
  return [
    credentials.map(({ keyId }, at) => (sessions[at] === null ? uuidOf('key', keyId) : null)),
    sessions,
  ];
}

/** One for each requested key. */
interface StateRow {
  /** Null for an unknown key. */
  valid: boolean | null;
  suspended: boolean;
  expires_ms: number | null;
  origins: string[];
  quota: RequestQuota | null;
  database_ms: number;
}

const states: Statement = {
  name: 'keys.states',
  text: `
    select
      case when k.id is not null
        then k.revoked_at is null and coalesce(least(s.expires_at, k.expires_at) > $4, true) end as valid,
      exists (select from users.workspaces w where w.id = k.workspace_id and w.status <> 'active') as suspended,
      (extract(epoch from least(s.expires_at, k.expires_at)) * 1000)::float8 as expires_ms,
      array(select o.origin from users.origins o where o.workspace_id = k.workspace_id) as origins,${requestQuotaOf('k.workspace_id')},
      (extract(epoch from clock_timestamp()) * 1000)::float8 as database_ms
    from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality as a (workspace_id, key_id, session_id, n)
      left join users.sessions s on s.workspace_id = a.workspace_id and s.id = a.session_id
      left join users.api_keys k on k.workspace_id = a.workspace_id and k.id = coalesce(a.key_id, s.key_id)
    order by a.n`,
};
