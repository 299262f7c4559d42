import type { Statement } from '../database.js';
import { formatTraces } from '@roster/bus';
import type { OutboxRow } from './event.js';
import type { Acknowledged, MarkedRow } from './table.js';

export const insertValues = (events: readonly OutboxRow[]): unknown[] => [
  events.map((event) => event.workspaceId),
  events.map((event) => event.id),
  events.map((event) => event.kind),
  events.map((event) => event.body),
  events.map((event) => event.details ?? null),
  events.map(traceOf),
];

const traceOf = ({ traces }: OutboxRow): string | null => (traces && formatTraces(traces)) ?? null;

export const markValues = (acknowledged: readonly Acknowledged[]): unknown[] => [
  acknowledged.map(({ row }) => row.workspaceId),
  acknowledged.map(({ row }) => row.id),
  acknowledged.map(({ sequence }) => sequence),
];

export const unmarkValues = (rows: readonly MarkedRow[]): unknown[] => [
  rows.map(({ workspaceId }) => workspaceId),
  rows.map(({ id }) => id),
  rows.map(({ sequence }) => sequence),
];

/** A comparison without a heartbeat for this long is treated as abandoned. */
const silentSeconds = 30;
const isSilent = `seen_at < now() - interval '${silentSeconds} seconds'`;

export type OutboxStatements = ReturnType<typeof outboxStatements>;

export function outboxStatements(schema: string) {
  const tables = { table: `${schema}.outbox`, checkpoint: `${schema}.outbox_checkpoint` };
  return {
    ...publishingStatements(tables),
    ...checkpointStatements(tables),
    ...comparisonStatements(tables),
    ...upkeepStatements(tables),
  };
}

interface Tables {
  table: string;
  checkpoint: string;
}

const named = (name: string, text: string): Statement => ({ name: `outbox.${name}`, text });

const publishingStatements = ({ table, checkpoint }: Tables) => ({
  insert: named(
    'insert',
    `insert into ${table} (workspace_id, id, kind, body, details, trace)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[])`,
  ),
  // Marks of a previous epoch are refused. The lock makes the process that ends the epoch wait, so that its comparison
  // includes this mark. Only rows without a sequence are marked: a sweeper may have published the event again, at a
  // sequence that is certain. Written as `is null`, the condition would make the planner use the index of unpublished rows,
  // with all those published since the last vacuum.
  mark: named(
    'mark',
    `with present as materialized (
       select 1 from ${checkpoint} where id and epoch = $4::bigint for share
     ), marked as (
       update ${table} o set stream_seq = a.seq
       from present, unnest($1::uuid[], $2::uuid[], $3::bigint[]) as a (workspace_id, id, seq)
       where o.workspace_id = a.workspace_id and o.id = a.id and coalesce(o.stream_seq, 0) = 0
     )
     select from present`,
  ),
  // Reads one row of each workspace through the index `outbox_unpublished_by_workspace`, so that a workspace with a million rows
  // costs as much as one with ten. Each `order by` is the order of this index and of no other, and the rows of one workspace are
  // therefore selected by `between`: otherwise the planner may read published rows, or those of all workspaces. The sum
  // takes the rows in the order in which they were locked, and reads the size of the details without the details. A result row
  // without an ID is a workspace that has unpublished rows, but none to claim.
  claim: named(
    'claim',
    `with recursive walked as (
       (select workspace_id, created_at, 1 as n from ${table}
        where stream_seq is null and workspace_id > $3 order by workspace_id, created_at limit 1)
       union all
       select o.workspace_id, o.created_at, w.n + 1 from walked w, lateral (
         select workspace_id, created_at from ${table}
         where stream_seq is null and workspace_id > w.workspace_id order by workspace_id, created_at limit 1
       ) o where w.n < $4
     ), old as materialized (
       select count(*) from walked where created_at < now() - $1 * interval '1 millisecond'
     )
     select w.workspace_id as "workspaceId", e.id, e.kind, e.body, e.details, e.trace
     from walked w left join lateral (
       select id, kind, body, details, trace from (
         select *, sum(octet_length(body) + coalesce(octet_length(details), 0)) over (rows between unbounded preceding and 1 preceding) as before
         from (
           select id, kind, body, details, trace, created_at from ${table}
           where workspace_id between w.workspace_id and w.workspace_id and stream_seq is null
             and created_at < now() - $1 * interval '1 millisecond'
           order by workspace_id, created_at limit greatest(1, $2::int / greatest(1, (select count from old))) for update skip locked
         ) locked
       ) counted
       where before is null or before < $5 / greatest(1, (select count from old))
     ) e on true`,
  ),
});

const checkpointStatements = ({ checkpoint }: Pick<Tables, 'checkpoint'>) => ({
  checkpoint: named(
    'checkpoint',
    `select epoch, compared_epoch = epoch as finished, ${isSilent} as silent, incarnation, positions, batches_from <= now() as batching
     from ${checkpoint} where id`,
  ),
  raise: named(
    'raise',
    `update ${checkpoint} set epoch = epoch + 1, seen_at = now()
     where id and epoch = $1 and (compared_epoch = epoch or ${isSilent}) returning 1`,
  ),
  advance: named(
    'advance',
    `update ${checkpoint} set positions = $2 where id and epoch = $1 and compared_epoch = $1`,
  ),
  finish: named(
    'finish',
    `update ${checkpoint} set compared_epoch = $1, incarnation = $2, positions = $3
     where id and epoch = $1`,
  ),
  abandon: named(
    'abandon',
    `update ${checkpoint} set seen_at = '-infinity' where id and epoch = $1`,
  ),
});

const comparisonStatements = ({ table, checkpoint }: Tables) => ({
  newest: named(
    'newest',
    `select stream_seq as newest from ${table}
     where stream_seq is not null order by stream_seq desc limit 1`,
  ),
  marked: named(
    'marked',
    `select workspace_id as "workspaceId", id, stream_seq as sequence from ${table}
     where stream_seq between $1 and $3 and (stream_seq > $1 or id > $2)
     order by stream_seq, id limit $4`,
  ),
  unmark: named(
    'unmark',
    `with present as (
       update ${checkpoint} set seen_at = now() where id and epoch = $4::bigint returning 1
     ), unmarked as (
       update ${table} o set stream_seq = null
       from present, unnest($1::uuid[], $2::uuid[], $3::bigint[]) as a (workspace_id, id, seq)
       where o.workspace_id = a.workspace_id and o.id = a.id and o.stream_seq = a.seq
     )
     select from present`,
  ),
});

const upkeepStatements = ({ table }: Pick<Tables, 'table'>) => ({
  purge: named(
    'purge',
    `delete from ${table} where ctid = any (array(
       select ctid from ${table}
       where created_at < now() - $1 * interval '1 second' and stream_seq is not null limit $2
     )) returning 1`,
  ),
  depth: named(
    'depth',
    `select count(*) as count, coalesce(extract(epoch from now() - min(created_at)), 0) as age
     from ${table} where stream_seq is null`,
  ),
});
