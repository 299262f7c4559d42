import type { Statement } from '../database.js';

/**
 * An SQL expression that locks the key that a credential has sent until the end of the transaction, or is false if another transaction
 * has locked it. PostgreSQL releases the lock when the session ends: a process that dies leaves no key in use.
 *
 * @param row relation with the columns `workspace_id`, `credential` and `sent_key`
 */
export const lockKey = (schema: string, row: string): string =>
  `pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', 'roster:idempotency:${schema}', ${row}.workspace_id,
    ${row}.credential, ${row}.sent_key), 0))`;

export const idempotencyStatements = (schema: string) => {
  const table = `${schema}.idempotency_keys`;
  const named = (name: string, text: string): Statement => ({ name: `idempotency.${name}`, text });
  return {
    lock: named(
      'lock',
      `select ${lockKey(schema, 'i')} as locked
       from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as i (workspace_id, credential, sent_key, n) order by n`,
    ),
    // `offset 0` keeps a plan for an almost empty table from reading all of it.
    recall: named(
      'recall',
      `select k.workspace_id, k.key, k.credential, k.user_id, k.operation, k.input_sha256, k.answer,
         k.created_at < now() - $3 * interval '1 hour' as expired
       from unnest($1::uuid[], $2::text[]) as i (workspace_id, key),
         lateral (select * from ${table} where workspace_id = i.workspace_id and key = i.key offset 0) k`,
    ),
    remember: named(
      'remember',
      `insert into ${table} (workspace_id, key, user_id, credential, operation, input_sha256, answer)
       select workspace_id, key, user_id, credential, $5, input_sha256, answer
       from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $6::bytea[], $7::text[])
         as i (workspace_id, key, user_id, credential, input_sha256, answer)
       order by workspace_id, key`,
    ),
    // An expired key is reused, whether or not it has been purged.
    forget: named(
      'forget',
      `delete from ${table} k using unnest($1::uuid[], $2::text[]) as i (workspace_id, key)
       where k.workspace_id = i.workspace_id and k.key = i.key and k.created_at < now() - $3 * interval '1 hour'`,
    ),
    // As in audit/statements.ts. A key that is locked is about to be reused.
    purge: {
      ...named(
        'purge',
        `delete from ${table} where ctid = any (array(
           select ctid from ${table} where created_at < now() - $1 * interval '1 hour' limit $2 for update skip locked
         )) returning 1`,
      ),
      plan: 'any' as const,
    },
  };
};
