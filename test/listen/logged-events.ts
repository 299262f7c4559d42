import type { Received } from './handler.js';
import { Client } from '../system/client.js';

export interface LoggedEvent {
  id: string;
  kind: string;
  createdAt: string;
  data: { contact?: { id: string; email: string } };
}

interface Page {
  events: LoggedEvent[];
  pagination: { next: string | null; hasMore: boolean };
}

/** The position after all events of the log. */
export async function endOfLog(roster: { baseUrl: string; apiKey: string }): Promise<string> {
  const { body } = await new Client(roster).get<Page>(
    '/v1/events?limit=1&since=9999-12-31T23:59:59.999Z',
  );
  return body.pagination.next ?? '';
}

/** The events of the log after a position. */
export async function loggedEvents(
  roster: { baseUrl: string; apiKey: string },
  after: string,
): Promise<LoggedEvent[]> {
  const client = new Client(roster);
  const events: LoggedEvent[] = [];
  for (let next = after; ;) {
    const query = new URLSearchParams({ limit: '100', ...(next && { after: next }) });
    const { body, status } = await client.get<Page>(`/v1/events?${query.toString()}`);
    if (status !== 200) throw new Error(`GET /v1/events was answered ${status}`);
    events.push(...body.events);
    next = body.pagination.next ?? '';
    if (!body.pagination.hasMore) return events;
  }
}

/** What a handler received, compared with the log. */
export interface Comparison {
  logged: number;
  missing: number;
  /** Received, but not in the log. */
  unknown: number;
  /** Received for the first time after a later event of the same contact. */
  outOfOrder: number;
  /** Received more than once. */
  repeated: number;
}

export function compare(logged: readonly LoggedEvent[], received: readonly Received[]): Comparison {
  const places = new Map(logged.map(({ id }, place) => [id, place]));
  const last = new Map<string, number>();
  const ids = new Set<string>();
  let [unknown, outOfOrder] = [0, 0];
  for (const { eventId, contactId = '' } of received) {
    if (ids.has(eventId)) continue;
    ids.add(eventId);
    const place = places.get(eventId);
    if (place === undefined) unknown += 1;
    else if (place < (last.get(contactId) ?? -1)) outOfOrder += 1;
    else last.set(contactId, place);
  }
  const missing = logged.filter(({ id }) => !ids.has(id)).length;
  return {
    logged: logged.length,
    missing,
    unknown,
    outOfOrder,
    repeated: received.length - ids.size,
  };
}
