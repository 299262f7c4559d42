import {
  decodeId,
  encodeId,
  splitEvents,
  type CarriedEvent,
  type EventKind,
} from '@roster/contracts';
import type { MsgHdrs } from 'nats';
import { textOf } from '../wire.js';

/** A message to publish: one event, or several of the same workspace and kind. */
export interface EventMessage {
  /** ID of its first event in external form, `evt_…`: the `Nats-Msg-Id` by which the stream drops duplicates. */
  id: string;
  workspaceId: string;
  kind: EventKind;
  /** Body of the event, or several events as text of `joinEvents`. */
  body: string;
  /** Number of its events; one by default. */
  count?: number;
  /** `EventDetails` of a single event as JSON without line breaks, at most `eventDetailsBytesMax` bytes. */
  details?: string | undefined;
  /**
   * The message is published again because the stream may have lost it. A consumer must not rely on deduplication by the
   * stream.
   */
  republished?: boolean;
}

/** Header of messages that are published again. */
export const republishedHeader = 'Roster-Again';

/** Header with the number of events of a message that has several. */
const countHeader = 'Roster-Events';
/** Header with the details of a single event. */
const detailsHeader = 'Roster-Details';

export function headersFor({ id, count = 1, details, republished }: EventMessage) {
  const headers: Record<string, string> = { 'Nats-Msg-Id': id };
  if (count > 1) headers[countHeader] = String(count);
  if (details !== undefined) headers[detailsHeader] = details;
  if (republished) headers[republishedHeader] = '1';
  return headers;
}

/** The number of events of a message. Its header is not relied on: a service with stolen credentials can claim any number. */
export function countIn(data: Uint8Array, headers: MsgHdrs | undefined): number {
  let count = 1;
  if (headers?.has(countHeader))
    for (let at = -1; (at = data.indexOf(lineBreak, at + 1)) !== -1;) count += 1;
  return count;
}

const lineBreak = 10;

/** The size of a message, without the names of its headers. */
export const bytesOf = (data: Uint8Array, headers: MsgHdrs | undefined): number =>
  data.length + (headers?.has(detailsHeader) ? headers.get(detailsHeader).length : 0);

/** The events of a message. A service with stolen credentials can store any message: an event without a valid ID has none. */
export function eventsIn(data: Uint8Array, headers: MsgHdrs | undefined): CarriedEvent[] {
  const body = textOf(data);
  if (headers?.has(countHeader)) return splitEvents(body);
  const id = decodeId('event', headers?.get('Nats-Msg-Id') ?? '') ?? '';
  return [{ id, body, details: headers?.get(detailsHeader) || undefined }];
}

/** The external form of its ID; empty if it has none. */
export const idOf = ({ id }: CarriedEvent): string => id && encodeId('event', id);
