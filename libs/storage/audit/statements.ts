import type { Statement } from '../database.js';

export const auditStatements = (schema: string) => {
  const table = `${schema}.audit_log`;
  const named = (name: string, text: string): Statement => ({ name: `audit.${name}`, text });
  const columns =
    'workspace_id, id, action, actor_id, key_id, address, request_id, resource_id, before, after';
  const input = `unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::jsonb[])
    with ordinality as i (${columns}, n)`;
  const today = `(now() at time zone 'utc')::date`;
  /**
   * Adds the entries of the relation `due` to the number of entries of their workspaces today, and inserts them, unless a number
   * has reached $11. Returns those that were not inserted. The rows of the numbers are locked until the end of the
   * transaction: in the order of workspaces, so that two statements do not wait for each other.
   */
  const insertDue = `
    counted as (
      insert into ${schema}.audit_days as d (workspace_id, day, entries)
      select workspace_id, ${today}, count(*)
      from due group by workspace_id order by workspace_id
      on conflict (workspace_id, day) do update set entries = d.entries + excluded.entries
      where d.entries < $11::int
      returning workspace_id
    ), recorded as (
      insert into ${table} (${columns})
      select ${columns} from due where workspace_id in (select workspace_id from counted)
    )
    select n::int, ceil(extract(epoch from ${today} + 1 - now() at time zone 'utc'))::int as seconds_left
    from due where workspace_id not in (select workspace_id from counted)`;
  return {
    /** Without a limit, and therefore without the lock: its transaction can go on to lock contacts. */
    recordUncounted: named(
      'record-uncounted',
      `insert into ${table} (${columns}) select ${columns} from ${input}`,
    ),
    record: named('record', `with due as materialized (select * from ${input}), ${insertDue}`),
    /**
     * $12: lowest ID of the entries that a new one would repeat, by the clock of this process; $13: their age in seconds, by that of
     * PostgreSQL. An entry from a time that the clock has not reached again is not repeated: otherwise, after a clock was set back by
     * an hour, reads would not be recorded for an hour.
     */
    recordOnce: named(
      'record-once',
      `with due as materialized (
         select * from ${input}
         where not exists (
           select from ${table} e
           where e.workspace_id = i.workspace_id and e.id >= $12 and e.action = i.action and e.resource_id = i.resource_id
             and e.created_at between now() - $13 * interval '1 second' and now() + interval '1 second'
             and e.key_id is not distinct from i.key_id and e.address is not distinct from i.address
         )
       ), ${insertDue}`,
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
    // The index on the times is a summary of the table: only a plan that the planner is free to choose uses it.
    purge: {
      ...named(
        'purge',
        `delete from ${table} where ctid = any (array(
           select ctid from ${table} where created_at < now() - $1 * interval '1 day' limit $2 for update skip locked
         )) returning 1`,
      ),
      plan: 'any' as const,
    },
    purgeDays: {
      ...named(
        'purge-days',
        `delete from ${schema}.audit_days where day < now() - interval '2 days'`,
      ),
      plan: 'any' as const,
    },
  };
};
