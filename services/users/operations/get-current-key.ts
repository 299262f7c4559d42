import type { Handler } from '@roster/bus';
import { uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import type { UsersService } from '../service.js';
import { keyEnded } from '../keys/caller-key.js';
import { credentialColumns } from '../keys/key-states.js';

type GetCurrentKey = Operations['key.get'];

/** The keys that calls are sent with, as they are now: the gateway may have verified a key before it was revoked. */
export const getCurrentKey =
  ({ database }: UsersService): Handler<GetCurrentKey> =>
  async (calls) => {
    const rows = await database.query<CurrentKeyRow>(current, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      ...credentialColumns(calls.map(({ caller }) => caller)),
      new Date().toISOString(),
    ]);
    const found = new Map(rows.map((row) => [row.n, row]));
    return calls.map(({ caller }, index) => {
      const row = found.get(index + 1);
      if (!row) return keyEnded();
      const { workspaceId, userId, keyId, scopes, token } = caller;
      const key: OutputOf<GetCurrentKey>['key'] = {
        id: keyId,
        name: row.name,
        scopes,
        workspace: { id: workspaceId, name: row.workspace_name },
        user: { id: userId, name: row.user_name },
        createdAt: timeOf(row.created_ms),
        expiresAt: row.expires_ms === null ? null : timeOf(row.expires_ms),
        token: token ? { readOnly: token.readOnly, operations: token.operations } : null,
      };
      return { key };
    });
  };

interface CurrentKeyRow {
  n: number;
  name: string;
  workspace_name: string;
  user_name: string;
  /** Milliseconds since the epoch, as is the next one. */
  created_ms: number;
  expires_ms: number | null;
}

const timeOf = (ms: number): string => new Date(Math.round(ms)).toISOString();

const current: Statement = {
  name: 'keys.current',
  text: `
    select a.n::int, k.name, w.name as workspace_name, u.name as user_name,
      (extract(epoch from coalesce(s.created_at, k.created_at)) * 1000)::float8 as created_ms,
      (extract(epoch from least(s.expires_at, k.expires_at)) * 1000)::float8 as expires_ms
    from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality as a (workspace_id, key_id, session_id, n)
      left join users.sessions s on s.workspace_id = a.workspace_id and s.id = a.session_id
      join users.api_keys k on k.workspace_id = a.workspace_id and k.id = coalesce(a.key_id, s.key_id)
      join users.workspaces w on w.id = k.workspace_id
      join users.users u on u.workspace_id = k.workspace_id and u.id = k.user_id
    where k.revoked_at is null and coalesce(least(s.expires_at, k.expires_at) > $4, true)`,
};
