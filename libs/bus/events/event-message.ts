import {
  decodeId,
  encodeId,
  splitEvents,
  type CarriedEvent,
  type EventKind,
} from '@roster/contracts';
import type { MsgHdrs } from 'nats';
import { textOf } from '../wire.js';
import { formatTraces, withTraces, type EventTrace } from './event-traces.js';

/** A message to publish: one event, or several of the same workspace and kind. */
export interface EventMessage {
  /** ID of its first event in external form, `evt_…`: the `Nats-Msg-Id` by which the stream drops duplicates. */
  id: string;
  workspaceId: string;
  kind: EventKind;
  /** Body of the event, a JSON object, or several events as text of `joinEvents`. */
  body: string;
  /** `EventDetails` of a single event as JSON without line breaks, at most `eventDetailsBytesMax` bytes. */
  details?: string | undefined;
  /** By the index of the event. */
  traces?: readonly (EventTrace | undefined)[] | undefined;
  /**
   * The message is published again because the stream may have lost it. A consumer must not rely on deduplication by the
   * stream.
   */
  republished?: boolean;
}

/** Header of messages that are published again. */
export const republishedHeader = 'Roster-Again';

/** Header with the details of a single event. */
const detailsHeader = 'Roster-Details';

/** Header with the traces of the events. */
const traceHeader = 'Roster-Trace';

export function headersFor({ id, details, traces, republished }: EventMessage) {
  const headers: Record<string, string> = { 'Nats-Msg-Id': id };
  if (details !== undefined) headers[detailsHeader] = details;
  const traced = traces && formatTraces(traces);
  if (traced !== undefined) headers[traceHeader] = traced;
  if (republished) headers[republishedHeader] = '1';
  return headers;
}

/** Whether a message has several events: their text begins with an ID, and the body of one with a brace. */
const isJoined = (data: Uint8Array): boolean => data[0] !== brace;

/** The number of events of a message. */
export function countIn(data: Uint8Array): number {
  let count = 1;
  if (isJoined(data)) for (let at = -1; (at = data.indexOf(lineBreak, at + 1)) !== -1;) count += 1;
  return count;
}

const brace = '{'.charCodeAt(0);
const lineBreak = '\n'.charCodeAt(0);

/** The size of a message, without the names of its headers. */
export const bytesOf = (data: Uint8Array, headers: MsgHdrs | undefined): number =>
  data.length + (headers?.has(detailsHeader) ? headers.get(detailsHeader).length : 0);

/** The events of a message. A service with stolen credentials can store any message: an event without a valid ID has none. */
export function eventsIn(data: Uint8Array, headers: MsgHdrs | undefined): CarriedEvent[] {
  const body = textOf(data);
  const events = isJoined(data) ? splitEvents(body) : [oneEvent(body, headers)];
  return headers?.has(traceHeader) ? withTraces(events, headers.get(traceHeader)) : events;
}

const oneEvent = (body: string, headers: MsgHdrs | undefined): CarriedEvent => ({
  id: decodeId('event', headers?.get('Nats-Msg-Id') ?? '') ?? '',
  body,
  details: headers?.get(detailsHeader) || undefined,
});

/** The external form of its ID; empty if it has none. */
export const idOf = ({ id }: CarriedEvent): string => id && encodeId('event', id);
