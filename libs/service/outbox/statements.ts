import type { Statement } from '../database.js';
import type { OutboxEvent } from './event.js';

/** An event, and where the stream acknowledged it. */
export interface Acknowledged {
  event: OutboxEvent;
  sequence: number;
}

export const insertValues = (events: readonly OutboxEvent[]): unknown[] => [
  events.map((event) => event.workspaceId),
  events.map((event) => event.id),
  events.map((event) => event.kind),
  events.map((event) => event.body),
];

export const markValues = (acknowledged: readonly Acknowledged[]): unknown[] => [
  acknowledged.map(({ event }) => event.workspaceId),
  acknowledged.map(({ event }) => event.id),
  acknowledged.map(({ sequence }) => sequence),
];

export type OutboxStatements = ReturnType<typeof outboxStatements>;

export const outboxStatements = (schema: string) => {
  const table = `${schema}.outbox`;
  const named = (name: string, text: string): Statement => ({ name: `outbox.${name}`, text });
  return {
    insert: named(
      'insert',
      `insert into ${table} (workspace_id, id, kind, body)
       select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])`,
    ),
    // Only rows without a sequence: a sweeper may have published the event anew, at a sequence that holds it for sure. As
    // `is null` it would be taken for the shorter way to the rows, past all that were published since the last vacuum.
    mark: named(
      'mark',
      `update ${table} o set stream_seq = a.seq
       from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as a (workspace_id, id, seq)
       where o.workspace_id = a.workspace_id and o.id = a.id and coalesce(o.stream_seq, 0) = 0`,
    ),
    claim: named(
      'claim',
      `select id, workspace_id as "workspaceId", kind, body from ${table}
       where stream_seq is null and created_at < now() - $1 * interval '1 millisecond'
       limit $2 for update skip locked`,
    ),
    newest: named(
      'newest',
      `select id, stream_seq as seq from ${table}
       where stream_seq is not null order by stream_seq desc offset $1 limit 1`,
    ),
    forget: named(
      'forget',
      `update ${table} set stream_seq = null where stream_seq > $1 and stream_seq <= $2 returning id`,
    ),
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
  };
};
