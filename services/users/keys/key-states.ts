import { uuidOf } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';

/** A key by its external IDs. */
interface KeyId {
  workspaceId: string;
  keyId: string;
}

export interface KeyState {
  /** Neither revoked nor expired. */
  isValid: boolean;
  /** Milliseconds since the epoch; null if the key does not expire. */
  expiresAt: number | null;
  /** Origins of its workspace. */
  origins: string[];
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
    keys.map(({ keyId }) => uuidOf('key', keyId)),
    new Date().toISOString(),
  ]);
  return {
    states: rows.map(({ valid, expires_ms, origins }) =>
      valid === null
        ? undefined
        : { isValid: valid, expiresAt: expires_ms && Math.round(expires_ms), origins },
    ),
    databaseMs: Math.round(rows[0]!.database_ms),
  };
}

/** One for each requested key. */
interface StateRow {
  /** Null for an unknown key. */
  valid: boolean | null;
  expires_ms: number | null;
  origins: string[];
  database_ms: number;
}

const states: Statement = {
  name: 'keys.states',
  text: `
    select
      case when k.id is not null
        then k.revoked_at is null and (k.expires_at is null or k.expires_at > $3) end as valid,
      (extract(epoch from k.expires_at) * 1000)::float8 as expires_ms,
      array(select o.origin from users.origins o where o.workspace_id = k.workspace_id) as origins,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as database_ms
    from unnest($1::uuid[], $2::uuid[]) with ordinality as a (workspace_id, id, n)
      left join users.api_keys k on k.workspace_id = a.workspace_id and k.id = a.id
    order by a.n`,
};
