import type { Statement } from '../database.js';

export const idempotencyStatements = (schema: string) => {
  const table = `${schema}.idempotency_keys`;
  const named = (name: string, text: string): Statement => ({ name: `idempotency.${name}`, text });
  return {
    // An expired key is reused, whether or not it has been deleted.
    claim: named(
      'claim',
      `insert into ${table} as k (workspace_id, key, user_id, operation, input_sha256) values ($1, $2, $3, $4, $5)
       on conflict (workspace_id, key) do update
         set user_id = excluded.user_id, operation = excluded.operation, input_sha256 = excluded.input_sha256,
           answer = null, created_at = now()
         where k.created_at < now() - $6 * interval '1 hour'
       returning 1`,
    ),
    remember: named(
      'remember',
      `update ${table} set answer = $3 where workspace_id = $1 and key = $2`,
    ),
    recall: named(
      'recall',
      `select user_id, operation, input_sha256, answer from ${table} where workspace_id = $1 and key = $2`,
    ),
    // May scan the whole table.
    purge: {
      ...named('purge', `delete from ${table} where created_at < now() - $1 * interval '1 hour'`),
      plan: 'any' as const,
    },
  };
};
