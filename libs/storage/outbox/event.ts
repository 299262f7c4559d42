import {
  encodeId,
  type EventBody,
  type EventKind,
  changedFields,
  eventDetailsBytesMax,
  joinEvents,
  splitEvents,
  type EventDetails,
} from '@roster/contracts';
import type { EventMessage, EventTrace } from '@roster/bus';
import type { IdClock } from '@roster/process';
import { isSampled, tracer, type TraceContext } from '@roster/telemetry';

/** A row of the outbox: an event, or several of the same workspace and kind that one statement wrote. UUIDs. */
export interface OutboxRow {
  /** Of its first event. */
  id: string;
  workspaceId: string;
  kind: EventKind;
  /** Body of the event, or several events as text of `joinEvents`. */
  body: string;
  /** `EventDetails` of a single event as JSON of any size; null if it has none. */
  details?: string | null;
  /** By the index of the event, if what caused it is traced. */
  traces?: readonly (EventTrace | undefined)[];
}

/** The traces of a row with one event. */
export const tracedBy = ({ traceparent, tracestate }: TraceContext): Pick<OutboxRow, 'traces'> =>
  tracer && isSampled(traceparent) ? { traces: [{ traceparent, tracestate }] } : untraced;

const untraced = {};

/**
 * What statements that write rows store of the traces of their events, as JSON: null if no event is traced, so that only those that
 * are cost something. See `storedTrace`.
 *
 * @param ids of the events
 * @param causes by the index of the event
 */
export function tracesOf(ids: readonly string[], causes: readonly TraceContext[]): string | null {
  if (!tracer) return null;
  let traces: Record<string, string> | undefined;
  for (const [at, { traceparent, tracestate }] of causes.entries())
    if (isSampled(traceparent)) (traces ??= {})[ids[at]!] = `${traceparent} ${tracestate ?? '-'}`;
  return traces ? JSON.stringify(traces) : null;
}

/**
 * An expression for the trace of a row with one event, in the format of `formatTraces`.
 *
 * @param traces the parameter with the result of `tracesOf`
 */
export const storedTrace = (traces: string, eventId: string): string =>
  `case when ${traces}::jsonb is not null then '* ' || (${traces}::jsonb ->> ${eventId}::text) end`;

/** As `storedTrace`, for a row with several events in the order of their IDs. */
const storedTraces = (traces: string): string => `
  case when ${traces}::jsonb is not null then (
    select string_agg(indexes || ' ' || trace, ' ') from (
      select string_agg((n - 1)::text, ',' order by n) as indexes, ${traces}::jsonb ->> id::text as trace
      from unnest(array_agg(event_id order by event_id)) with ordinality as e (id, n) group by trace
    ) traces where trace is not null
  ) end`;

/** Creates an event that occurred now, or at `at`. */
export function makeEvent<K extends EventKind>(
  ids: IdClock,
  workspaceId: string,
  kind: K,
  data: EventBody<K>['data'],
  at: Date = new Date(),
): OutboxRow {
  const body: EventBody<K> = { event: kind, created_at: at.toISOString(), data };
  return { id: ids.next(), workspaceId, kind, body: JSON.stringify(body) };
}

/** The number of events of a row. */
export function countOf({ body }: OutboxRow): number {
  let count = 1;
  if (!isOne(body)) for (let at = -1; (at = body.indexOf('\n', at + 1)) !== -1;) count += 1;
  return count;
}

/** The body of an event is a JSON object; the text of several begins with an ID. */
const isOne = (body: string): boolean => body.startsWith('{');

/** The row in the form in which it is published. */
export function messageOf(row: OutboxRow): EventMessage {
  const { id, workspaceId, kind, body, details, traces } = row;
  const message = {
    id: encodeId('event', id),
    workspaceId: encodeId('workspace', workspaceId),
    kind,
    traces,
  };
  if (isOne(body))
    return { ...message, body, details: details == null ? undefined : boundDetails(details) };
  const events = splitEvents(body);
  if (events.every((event) => event.details === undefined || fits(event.details)))
    return { ...message, body };
  const bounded = events.map((event) => ({
    ...event,
    details: event.details && boundDetails(event.details),
  }));
  return { ...message, body: joinEvents(bounded) };
}

/** Maximum size of the events before the last one of a row: with a last one of any size, a message is not too large. */
export const rowBytesMax = 15_000;
/** The ID of an event, and the separators. */
const lineBytes = 40;

/**
 * The rows of a statement's events of any workspaces and kinds. `groupedRows` of the SQL yields the same.
 *
 * @param bytesMax `rowBytesMax`; 1 makes a row of each event
 */
export function rowsOf(events: readonly OutboxRow[], bytesMax: number): OutboxRow[] {
  const rows = new Map<string, OutboxRow[]>();
  const bytes = new Map<string, number>();
  for (const event of events.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const { workspaceId, kind, body, details } = event;
    const group = `${workspaceId} ${kind}`;
    const before = bytes.get(group) ?? 0;
    const size = Buffer.byteLength(body) + Buffer.byteLength(details ?? '') + lineBytes;
    bytes.set(group, before + size);
    const part = `${group} ${Math.floor(before / bytesMax)}`;
    const row = rows.get(part);
    if (row) row.push(event);
    else rows.set(part, [event]);
  }
  return [...rows.values()].map((group) => (group.length === 1 ? group[0]! : joined(group)));
}

function joined(events: readonly OutboxRow[]): OutboxRow {
  const { id, workspaceId, kind } = events[0]!;
  const lines = events.map(({ id: eventId, body, details }) => ({
    ...{ id: eventId, body, details: details ?? undefined },
  }));
  const traces = events.map((event) => event.traces?.[0]);
  const row = { id, workspaceId, kind, body: joinEvents(lines) };
  return traces.some((trace) => trace !== undefined) ? { ...row, traces } : row;
}

/**
 * The rows of a statement's events, as in `rowsOf`: the columns of `group`, `id`, `body`, `details` and `trace`.
 *
 * @param events a relation with the columns of `group`, `event_id`, `body` and `details`
 * @param traces the parameter with the result of `tracesOf`
 * @param bytesMax an expression
 * @param group `workspace_id, kind` for events of several kinds
 */
export const groupedRows = (
  events: string,
  traces: string,
  bytesMax: string,
  group = 'workspace_id',
): string => `
  select ${group}, (array_agg(event_id order by event_id))[1] as id,
    case count(*) when 1 then min(body)
      else string_agg(event_id || e'\\t' || body || e'\\t' || coalesce(details, ''), e'\\n' order by event_id) end as body,
    case count(*) when 1 then min(details) end as details, ${storedTraces(traces)} as trace
  from (
    select *, coalesce(sum(octet_length(body) + coalesce(octet_length(details), 0) + ${lineBytes}) over (
      partition by ${group} order by event_id rows between unbounded preceding and 1 preceding
    ), 0) / ${bytesMax} as part
    from ${events}
  ) parts
  group by ${group}, part`;

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
