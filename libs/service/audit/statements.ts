import type { Statement } from '../database.js';

export const auditStatements = (schema: string) => {
  const table = `${schema}.audit_log`;
  const named = (name: string, text: string): Statement => ({ name: `audit.${name}`, text });
  const columns =
    'workspace_id, id, action, actor_id, key_id, address, request_id, resource_id, before, after';
  const input = `unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::jsonb[])
    as i (${columns})`;
  return {
    record: named('record', `insert into ${table} (${columns}) select * from ${input}`),
    /**
     * $11: lowest ID of the entries that a new one would repeat, by the clock of this process; $12: their age in seconds, by that of
     * PostgreSQL. An entry from a time that the clock has not reached again is not repeated: otherwise, after a clock was set back by
     * an hour, reads would not be recorded for an hour.
     */
    recordOnce: named(
      'record-once',
      `insert into ${table} (${columns}) select * from ${input}
       where not exists (
         select from ${table} e
         where e.workspace_id = i.workspace_id and e.id >= $11 and e.action = i.action and e.resource_id = i.resource_id
           and e.created_at between now() - $12 * interval '1 second' and now() + interval '1 second'
           and e.key_id is not distinct from i.key_id and e.address is not distinct from i.address
       )`,
    ),
    /** $2, $5: the bounds of the IDs, which the primary key serves. $3, $4: null for all. */
    page: named(
      'page',
      `select id, action, actor_id, key_id, address, request_id, resource_id, before, after,
         (extract(epoch from created_at) * 1000)::float8 as created_ms
       from ${table}
       where workspace_id = $1 and id < $2 and ($3::text is null or action = $3)
         and ($4::text is null or actor_id = $4) and id >= $5
       order by id desc limit $6`,
    ),
    // May scan the whole table.
    purge: {
      ...named('purge', `delete from ${table} where created_at < now() - $1 * interval '1 day'`),
      plan: 'any' as const,
    },
  };
};
