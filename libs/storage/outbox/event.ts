import {
  encodeId,
  type EventBody,
  type EventKind,
  changedFields,
  eventDetailsBytesMax,
  type EventDetails,
} from '@roster/contracts';
import type { EventMessage } from '@roster/bus';
import type { IdClock } from '@roster/process';

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

/** The largest fields first. The names are those of the fields in `data`. */
const omissions: Record<string, (details: EventDetails) => void> = {
  previous: (details) => {
    if (details.previous) details.changed = changedFields(details.previous);
    delete details.previous;
  },
  'contact.properties': ({ contact }) => delete contact.properties,
  changed: (details) => delete details.changed,
  'contact.tags': ({ contact }) => delete contact.tags,
};

/** The details, without the fields with which they are too large for the stream. */
export function boundDetails(text: string): string {
  if (fits(text)) return text;
  const details = JSON.parse(text) as EventDetails;
  const omitted: string[] = [];
  let bounded = JSON.stringify(details);
  let whole = bounded;
  for (const [field, omit] of Object.entries(omissions)) {
    if (fits(bounded)) break;
    omit(details);
    const rest = JSON.stringify(details);
    if (rest === whole) continue;
    whole = rest;
    omitted.push(field);
    bounded = JSON.stringify({ ...details, omitted });
  }
  return bounded;
}

/** A character has at most three bytes for each of its UTF-16 code units. */
const fits = (text: string): boolean =>
  text.length * 3 <= eventDetailsBytesMax || Buffer.byteLength(text) <= eventDetailsBytesMax;
