import { encodeId, type EventBody, type EventKind } from '@roster/contracts';
import type { EventMessage } from '@roster/bus';
import type { IdClock } from '@roster/process';
import { boundDetails } from './bound-details.js';

/** An event as stored in the outbox, with UUIDs. */
export interface OutboxEvent {
  id: string;
  workspaceId: string;
  kind: EventKind;
  /** Body of the delivery: serialized once, and stored, signed and sent as these bytes. */
  body: string;
  /** `EventDetails` as JSON of any size; null if the event has none. */
  details?: string | null;
}

/** Creates an event that occurred now, or at `at`. */
export function makeEvent<K extends EventKind>(
  ids: IdClock,
  workspaceId: string,
  kind: K,
  data: EventBody<K>['data'],
  at: Date = new Date(),
): OutboxEvent {
  const body: EventBody<K> = { event: kind, created_at: at.toISOString(), data };
  return { id: ids.next(), workspaceId, kind, body: JSON.stringify(body) };
}

/** The event in the form in which it is published. */
export const messageOf = (event: OutboxEvent): EventMessage => ({
  id: encodeId('event', event.id),
  workspaceId: encodeId('workspace', event.workspaceId),
  kind: event.kind,
  body: event.body,
  details: event.details == null ? undefined : boundDetails(event.details),
});
