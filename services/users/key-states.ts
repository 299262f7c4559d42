import { uuidOf } from '@roster/contracts';
import type { Database, Statement } from '@roster/service/storage';

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
}

/** The states of keys, in the same order. Undefined for unknown keys. */
export async function keyStates(
  database: Database,
  keys: readonly KeyId[],
): Promise<(KeyState | undefined)[]> {
  const rows = await database.query<StateRow>(states, [
    keys.map(({ workspaceId }) => uuidOf('workspace', workspaceId)),
    keys.map(({ keyId }) => uuidOf('key', keyId)),
    new Date().toISOString(),
  ]);
  const found = new Map(rows.map((row) => [row.n, row]));
  return keys.map((_, index) => {
    const row = found.get(index + 1);
    return row && { isValid: row.valid, expiresAt: row.expires_ms && Math.round(row.expires_ms) };
  });
}

interface StateRow {
  n: number;
  valid: boolean;
  expires_ms: number | null;
}

const states: Statement = {
  name: 'keys.states',
  text: `
    select a.n::int, k.revoked_at is null and (k.expires_at is null or k.expires_at > $3) as valid,
      (extract(epoch from k.expires_at) * 1000)::float8 as expires_ms
    from unnest($1::uuid[], $2::uuid[]) with ordinality as a (workspace_id, id, n)
      join users.api_keys k on k.workspace_id = a.workspace_id and k.id = a.id`,
};
