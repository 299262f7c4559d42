import { encodeId, type EventKind } from '@roster/contracts';
import type { IdClock } from '@roster/process';
import type { OutboxEvent, Session } from '@roster/storage';
import type { ContactsService } from '../service.js';

/**
 * Parameters of a statement that writes the event of a changed contact: the ID of the event, and its body up to the ID of the
 * contact.
 */
export interface EventHead {
  id: string;
  head: string;
}

/** The rest of the body is known only to the database: `contacts.event_body` completes it from the row at that time. */
export function eventHead(ids: IdClock, kind: EventKind, contactId: string, now: Date): EventHead {
  const contact = encodeId('contact', contactId);
  return {
    id: ids.next(),
    head: `{"event":"${kind}","created_at":"${now.toISOString()}","data":{"contact":{"id":"${contact}"`,
  };
}

/** The `EventDetails` of a row as JSON text. `previous` is an expression for the JSON text of the former values. */
export const eventDetails = (row: string, previous?: string): string => `
  ('{"contact":{"tags":' || ${row}.tags::text || ',"properties":' || ${row}.properties::text || ',"status":"' || ${row}.status
    || '"}${previous === undefined ? '' : `,"previous":' || ${previous} || '`}}')`;

/** The event of a contact; null if the contact did not change. */
export interface AnnouncedRow {
  workspace_id: string;
  event_id: string | null;
  body: string | null;
  details: string | null;
}

/** Publishes, after the commit, the events of the rows that changed. */
export function announceChanges(
  { outbox }: ContactsService,
  session: Session,
  kind: EventKind,
  rows: readonly AnnouncedRow[],
): void {
  const events: OutboxEvent[] = [];
  for (const { workspace_id: workspaceId, event_id: id, body, details } of rows) {
    if (id !== null && body !== null) events.push({ id, workspaceId, kind, body, details });
  }
  session.afterCommit(() => outbox.publish(events));
}
