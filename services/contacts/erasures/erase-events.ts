import type { ErasableMessage, EventEraser } from '@roster/bus';
import {
  decodeId,
  encodeId,
  joinEvents,
  nothingKnown,
  redactedJson,
  splitEvents,
  timeOfId,
  withValues,
  type CarriedEvent,
  type EventBody,
  type EventDetails,
  type KnownValues,
} from '@roster/contracts';
import type { OutboxRow, Session, Statement } from '@roster/storage';
import type { ContactsService } from '../service.js';
import type { Advanced, ClaimedErasure } from './erasure-table.js';

/** The stream. */
export type EventLog = Pick<EventEraser, 'next' | 'firstSince' | 'newest' | 'erase'>;

/** Messages and milliseconds that a slice reads the stream for. */
const readMax = 1000;
const readMsMax = 1000;
/** Messages whose other events are written again by a slice. */
const collectedMax = 100;
/** How much later than its time an event may be stored by the clock of the stream. */
const clockMarginMs = 60_000;

/** Whether the outbox has events that name the contact and are not published, or are being published. */
export async function isUnpublished(erasure: ClaimedErasure, inner: Session): Promise<boolean> {
  return (await inner.query(selectUnpublished, namesOf(erasure))).length > 0;
}

/** The messages of the workspace from the creation of the contact to now, when all of its events are published. */
export async function findBounds(
  events: EventLog,
  { workspace_id, contact_id }: ClaimedErasure,
): Promise<Advanced> {
  const workspaceId = encodeId('workspace', workspace_id);
  const first = await events.firstSince(workspaceId, timeOfId(contact_id) - clockMarginMs);
  const newest = await events.newest(workspaceId);
  return first && newest
    ? { position: first.sequence, until: newest.sequence }
    : { position: 0, until: 0 };
}

interface StoredRow {
  id: string;
  kind: string;
  body: string;
  details: string | null;
  /** The driver returns a bigint as text. */
  stream_seq: string;
}

/** A message of the stream that is to be removed. */
type Collected = Pick<ErasableMessage, 'sequence' | 'id'>;

/**
 * Reads the next messages, and writes what remains of those with events of the contact to the outbox: the events of others, which the
 * sweeper publishes with their IDs. Whoever has received one already recognizes it. Rows of the messages are deleted in the same
 * transaction: otherwise the comparison with the stream would publish them again.
 */
export async function collectEvents(
  { ids, outbox }: Pick<ContactsService, 'ids' | 'outbox'>,
  events: EventLog,
  erasure: ClaimedErasure,
  inner: Session,
): Promise<Advanced | 'wait'> {
  const { workspace_id: workspaceId, contact_id } = erasure;
  const contactId = encodeId('contact', contact_id);
  let known = JSON.parse(erasure.known) as KnownValues;
  const collected: Collected[] = [];
  const rows: OutboxRow[] = [];
  /** Rows that are marked as published, and whose messages the stream does not have any more. */
  const left: string[] = [];
  let removed = 0;
  const keep = (kind: string, all: readonly CarriedEvent[]): void => {
    const { kept, values } = remainingOf(kind, all, contactId, known);
    known = withValues(known, values);
    removed += all.length - kept.length;
    if (kept.length > 0) rows.push(rowOf(ids.next(), workspaceId, kind, kept));
  };
  let position = Number(erasure.position);
  const until = Number(erasure.until);
  const endMs = performance.now() + readMsMax;
  for (let read = 0; position <= until && read < readMax; read += 1) {
    if (collected.length === collectedMax || performance.now() > endMs) break;
    const message = await events.next(encodeId('workspace', workspaceId), position);
    position = message ? message.sequence + 1 : until + 1;
    if (!message || message.sequence > until) continue;
    if (!isConcerned(message.kind, message.events, contactId, known)) continue;
    collected.push({ sequence: message.sequence, id: message.id });
    keep(message.kind, message.events);
  }
  const isLast = position > until;
  if (isLast && collected.length === 0) {
    // Of messages that the stream has lost. They may be published again at any moment.
    if (await isUnpublished(erasure, inner)) return { position: null, until: null };
    const stored = await inner.query<StoredRow>(selectLeft, namesOf(erasure));
    // Those of imports and actions that have ended meanwhile are in the stream.
    const newest = (await events.newest(encodeId('workspace', workspaceId)))?.sequence ?? 0;
    const isLater = ({ stream_seq: at }: StoredRow) => Number(at) > until && Number(at) <= newest;
    if (stored.some(isLater)) return { position: until + 1, until: newest };
    for (const row of stored) {
      const all = row.body.startsWith('{')
        ? [{ ...row, details: row.details ?? undefined }]
        : splitEvents(row.body);
      if (!isConcerned(row.kind, all, contactId, known)) continue;
      left.push(row.id);
      keep(row.kind, all);
    }
    if (left.length === 0) return { step: 'deliveries', position: null, until: null };
  }
  // Until 0.4.0: 0.2.0 does not understand rows of several events.
  if (rows.length > 0 && outbox.rowBytesMax === 1) return 'wait';
  await inner.query(deleteRows, [
    workspaceId,
    [...collected.flatMap(({ id }) => decodeId('event', id) ?? []), ...left],
  ]);
  await inner.query(insertRows, [
    workspaceId,
    rows.map(({ id }) => id),
    rows.map(({ kind }) => kind),
    rows.map(({ body }) => body),
  ]);
  const pending = collected.length > 0 ? JSON.stringify(collected) : null;
  return { position, pending, known: JSON.stringify(known), events: removed };
}

/**
 * Removes the collected messages, whose other events are committed to the outbox.
 *
 * @param isAcknowledged whether the deliveries of all messages up to a sequence are recorded
 */
export async function removeCollected(
  events: EventLog,
  erasure: ClaimedErasure,
  isAcknowledged: (sequence: number) => Promise<boolean>,
): Promise<Advanced | 'wait'> {
  const collected = JSON.parse(erasure.pending!) as Collected[];
  if (!(await isAcknowledged(collected.at(-1)!.sequence))) return 'wait';
  for (const message of collected) await events.erase(message);
  return { pending: null };
}

/** Events of other services are about users and webhooks. */
const isOwnKind = (kind: string): boolean =>
  kind.startsWith('CONTACT_') || kind === 'IMPORT_ENDED' || kind === 'ACTION_ENDED';

function isConcerned(
  kind: string,
  events: readonly CarriedEvent[],
  contactId: string,
  known: KnownValues,
): boolean {
  if (!isOwnKind(kind)) return false;
  return events.some(
    (event) =>
      contactOf(kind, event, contactId) !== undefined ||
      (!kind.startsWith('CONTACT_') && redactedJson(event.body, known) !== event.body),
  );
}

/** What an event says of the contact. Undefined if it is about something else, or only says that the contact was erased. */
function contactOf(kind: string, { body }: CarriedEvent, contactId: string) {
  if (!kind.startsWith('CONTACT_') || !body.includes(contactId)) return undefined;
  try {
    const { contact, erased } = (JSON.parse(body) as EventBody<'CONTACT_DELETED'>).data;
    return contact.id === contactId && !erased ? contact : undefined;
  } catch {
    return undefined;
  }
}

/** The events of others, without the addresses of the contact, and the values of the contact in its own. */
function remainingOf(
  kind: string,
  events: readonly CarriedEvent[],
  contactId: string,
  known: KnownValues,
) {
  const kept: CarriedEvent[] = [];
  let values = nothingKnown;
  for (const event of events) {
    const contact = contactOf(kind, event, contactId);
    if (contact) values = withValues(values, valuesOf(contact, event.details));
    else if (event.id !== '')
      kept.push(
        kind.startsWith('CONTACT_') ? event : { ...event, body: redactedJson(event.body, known) },
      );
  }
  return { kept, values };
}

function valuesOf(
  { email, name }: EventBody<'CONTACT_DELETED'>['data']['contact'],
  details: string | undefined,
): KnownValues {
  const { contact = {}, previous } = parsed(details);
  const texts = [name, previous?.name, contact.externalId, previous?.externalId];
  return {
    emails: [email, previous?.email].filter((one) => one !== undefined),
    others: texts.filter((one) => typeof one === 'string'),
  };
}

function parsed(details: string | undefined): Partial<EventDetails> {
  try {
    return JSON.parse(details ?? '{}') as Partial<EventDetails>;
  } catch {
    return {};
  }
}

const rowOf = (
  id: string,
  workspaceId: string,
  kind: string,
  events: readonly CarriedEvent[],
): OutboxRow => ({ id, workspaceId, kind: kind as OutboxRow['kind'], body: joinEvents(events) });

/** Texts of which JSON has at least one, in lower case, if `redactedJson` changes it. */
const textsOf = ({ emails, others }: KnownValues): string[] => [
  ...emails.map((email) => email.toLowerCase()),
  ...others.map((other) => JSON.stringify(other.toLowerCase())),
];

/** The values of `$1` to `$3`. */
const namesOf = ({ workspace_id, contact_id, known }: ClaimedErasure): unknown[] => [
  workspace_id,
  encodeId('contact', contact_id),
  textsOf(JSON.parse(known) as KnownValues),
];

/** Whether a row may name the contact. */
const mayName = `(kind like 'CONTACT\\_%' and position($2 in body) > 0
  or kind in ('IMPORT_ENDED', 'ACTION_ENDED')
    and exists (select from unnest($3::text[]) as known (text) where position(text in lower(body)) > 0))`;

const selectUnpublished: Statement = {
  name: 'erasures.unpublished',
  text: `
    select 1 from contacts.outbox where workspace_id = $1 and stream_seq is null and ${mayName} limit 1`,
};

const selectLeft: Statement = {
  name: 'erasures.left-in-outbox',
  text: `
    select id, kind, body, details, stream_seq from contacts.outbox
    where workspace_id = $1 and stream_seq is not null and ${mayName}
    order by id limit 100`,
};

const deleteRows: Statement = {
  name: 'erasures.delete-outbox-rows',
  text: 'delete from contacts.outbox where workspace_id = $1 and id = any ($2::uuid[])',
};

const insertRows: Statement = {
  name: 'erasures.insert-outbox-rows',
  text: `
    insert into contacts.outbox (workspace_id, id, kind, body)
    select $1, * from unnest($2::uuid[], $3::text[], $4::text[])`,
};
