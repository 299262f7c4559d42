import { encodeId, type EventKind } from '@roster/contracts';
import type { IdClock } from '@roster/service';
import type { OutboxEvent, Session } from '@roster/service/storage';
import type { ContactsService } from './service.js';

/** What a statement needs to write the event of a changed contact: the event's id, and its body up to the contact's id. */
export interface EventHead {
  id: string;
  head: string;
}

/** The rest of the body is known to the database only: `contacts.event_body` completes it from the row as it is then. */
export function eventHead(ids: IdClock, kind: EventKind, contactId: string, now: Date): EventHead {
  const contact = encodeId('contact', contactId);
  return {
    id: ids.next(),
    head: `{"event":"${kind}","created_at":"${now.toISOString()}","data":{"contact":{"id":"${contact}"`,
  };
}

/** Publishes the events of those rows that did change, once they are committed. */
export function announceChanges(
  { outbox }: ContactsService,
  session: Session,
  kind: EventKind,
  rows: readonly { workspace_id: string; event_id: string | null; body: string | null }[],
): void {
  const events: OutboxEvent[] = [];
  for (const { workspace_id: workspaceId, event_id: id, body } of rows) {
    if (id !== null && body !== null) events.push({ id, workspaceId, kind, body });
  }
  session.afterCommit(() => outbox.publish(events));
}
