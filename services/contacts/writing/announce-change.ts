import { encodeId, instantOfId, type EventKind } from '@roster/contracts';
import type { IdClock } from '@roster/process';
import type { Call } from '@roster/bus';
import {
  groupedRows,
  rowsOf,
  storedTrace,
  tracedBy,
  type OutboxRow,
  type Session,
} from '@roster/storage';
import { changeIdOf, createdAtOf } from '../reading/contact.js';
import type { ContactsService } from '../service.js';

/**
 * Parameters of a statement that writes the event of a changed contact: the ID of the event, its time, and its body. The body has a
 * tab where `eventBody` inserts the fields that are known only to the database.
 */
export interface EventHead {
  id: string;
  instant: string;
  head: string;
}

export function eventHead(ids: IdClock, kind: EventKind, contactId: string, now: Date): EventHead {
  const contact = encodeId('contact', contactId);
  const id = ids.next();
  return {
    id,
    instant: instantOfId(id),
    head: `{"event":"${kind}","created_at":"${now.toISOString()}","data":{"contact":{"id":"${contact}"\t,"createdAt":"${createdAtOf(contactId)}"}}}`,
  };
}

/** The body of the event of a row. `head` is an expression for that of its `EventHead`. */
export const eventBody = (head: string, row: string): string =>
  `replace(${head}, E'\\t', ',"email":' || to_json(${row}.email)::text || ',"name":' || to_json(${row}.name)::text)`;

/**
 * The `EventDetails` of a row as JSON text.
 *
 * @param previous an expression for the JSON text of the former values
 * @param status an expression
 * @param updatedAt an expression
 */
export const eventDetails = (
  row: string,
  previous?: string,
  status = `${row}.status`,
  updatedAt = `contacts.instant_of(${changeIdOf(row)})`,
): string => `
  ('{"contact":{"tags":' || ${row}.tags::text || ',"properties":' || ${row}.properties::text || ',"status":"' || ${status}
    || '","updatedAt":"' || ${updatedAt} || '","version":' || ${row}.version
    || ',"externalId":' || coalesce(to_json(${row}.external_id)::text, 'null')
    || '}${previous === undefined ? '' : `,"previous":' || ${previous} || '`}}')`;

/**
 * The part of a statement that writes the events of changed contacts.
 *
 * @param events a relation with the columns `workspace_id`, `event_id`, `body` and `details`
 * @param kind an expression; undefined if `events` has the column `kind`
 * @param traces the parameter with the result of `tracesOf`
 * @param bytesMax the parameter with the result of `rowBytes`; undefined for a statement that writes a row of each event
 */
export function announcing(
  events: string,
  kind: string | undefined,
  traces: string,
  bytesMax: string | undefined,
): string {
  const group = kind === undefined ? 'workspace_id, kind' : 'workspace_id';
  const rows =
    bytesMax === undefined
      ? `select ${group}, event_id as id, body, details, ${storedTrace(traces, 'event_id')} as trace from ${events}`
      : groupedRows(events, traces, `${bytesMax}::int`, group);
  return `, announced as (
      insert into contacts.outbox (workspace_id, id, kind, body, details, trace)
      select workspace_id, id, ${kind ?? 'kind'}, body, details, trace from (${rows}) rows
    )`;
}

/**
 * For `rowsOf`, if events may share a row. Otherwise undefined, for the statement that writes a row of each: with one or few events,
 * grouping them costs a third of the statement.
 *
 * @param workspaceIds of the events
 */
export function rowBytes(
  { outbox }: Pick<ContactsService, 'outbox'>,
  workspaceIds: readonly string[],
): number | undefined {
  const isAlone = new Set(workspaceIds).size === workspaceIds.length;
  return isAlone || outbox.rowBytesMax === 1 ? undefined : outbox.rowBytesMax;
}

/** The event of a contact; null if the contact did not change. */
export interface AnnouncedRow {
  /** Position of its call, from 1. */
  n: number;
  workspace_id: string;
  event_id: string | null;
  body: string | null;
  details: string | null;
  /** Of a statement that writes several. */
  kind?: EventKind;
}

/**
 * Publishes, after the commit, the events of the rows that changed.
 *
 * @param calls which caused them
 * @param bytesMax the result of `rowBytes`
 */
export function announceChanges(
  { outbox }: ContactsService,
  session: Session,
  kind: EventKind,
  rows: readonly AnnouncedRow[],
  calls: readonly Call[],
  bytesMax: number | undefined,
): void {
  const events: OutboxRow[] = [];
  for (const { workspace_id: workspaceId, event_id: id, body, details, ...row } of rows) {
    if (id === null || body === null) continue;
    const traced = tracedBy(calls[row.n - 1]!);
    events.push({ id, workspaceId, kind: row.kind ?? kind, body, details, ...traced });
  }
  session.afterCommit(() => outbox.publish(rowsOf(events, bytesMax ?? 1)));
}
