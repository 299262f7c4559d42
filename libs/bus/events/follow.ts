import { decodeId, encodeId, eventIdStart, Fault } from '@roster/contracts';
import { unavailable } from '../calls/frame/faults.js';
import type { EventFeed } from './event-feed.js';
import { Follower, type FollowerOptions } from './follower.js';
import { isEvent, type StreamReader } from './stream-reader.js';

export interface FollowOptions extends FollowerOptions {
  /**
   * ID of the event after which to start, or of a delivery of it, or `beforeAllEvents`. Without it, the subscription starts with
   * events stored from now on.
   */
  after?: string | undefined;
}

/** The position before the oldest event that is retained: the ID of no event. */
export const beforeAllEvents = encodeId('event', '00000000-0000-0000-0000-000000000000');

/** Maximum clock skew between the process that created an event ID and the stream. */
const clockMarginMs = 10_000;
/** Time limit of the search for the event to start after. */
const seekMs = 10_000;

/**
 * Follows the events of one workspace, each once and in stream order, through restarts of NATS. Once it resolves, every event
 * stored later is delivered. Messages that are not events are skipped: a service with stolen credentials can store them, and a
 * subscription that resumes before one of them would otherwise end at it every time.
 *
 * @returns a function that stops it
 * @throws Fault `not_found` if the event to start after is unknown or no longer retained; `unavailable`
 */
export async function followEvents(
  feed: EventFeed,
  { workspaceId, after, onEvent, onEnd }: FollowOptions,
): Promise<() => void> {
  const follower = new Follower(feed, { workspaceId, onEvent, onEnd });
  const end = await feed.join(follower);
  try {
    follower.begin(await startOf(feed.reader, workspaceId, after, end));
  } catch (error) {
    follower.stop();
    throw error;
  }
  return () => follower.stop();
}

/**
 * The ID of the newest event of a workspace; `beforeAllEvents` if there is none, or if a message that is not an event was stored
 * after it, after which nobody could resume. A subscription that starts after it receives every event that is stored from now on.
 *
 * @throws Fault `unavailable`
 */
export async function newestEventId(reader: StreamReader, workspaceId: string): Promise<string> {
  const newest = await reader.newest(workspaceId);
  return newest && isEvent(newest) ? newest.id : beforeAllEvents;
}

/** The sequence after which to start. */
async function startOf(
  reader: StreamReader,
  workspaceId: string,
  after: string | undefined,
  end: number,
): Promise<number> {
  if (after === undefined) return end;
  if (after === beforeAllEvents) return 0;
  const eventUuid = decodeId('event', after);
  const uuid = eventUuid ?? decodeId('delivery', after);
  if (uuid === undefined) throw unknownEvent();
  const isIt = eventUuid === undefined ? mayHaveDelivery(uuid) : (id: string) => id === after;
  // A UUIDv7 begins with the milliseconds of its creation, which precedes the storing of the event.
  const madeAt = Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
  if (madeAt - clockMarginMs > Date.now()) throw unknownEvent();
  const deadline = performance.now() + seekMs;
  let event = await reader.firstSince(workspaceId, Math.max(0, madeAt - clockMarginMs));
  while (event && event.sequence <= end) {
    if (isIt(event.id)) return event.sequence;
    if (performance.now() > deadline) throw unavailable('too many events to search');
    event = await reader.next(workspaceId, event.sequence + 1);
  }
  throw unknownEvent();
}

/**
 * Several processes may create events with the same time and counter. Starting after the first of them skips none, and repeats
 * the event of the delivery if it is not the first.
 */
function mayHaveDelivery(deliveryUuid: string): (eventId: string) => boolean {
  const start = eventIdStart(deliveryUuid);
  return (id) => decodeId('event', id)?.startsWith(start) ?? false;
}

const unknownEvent = () =>
  new Fault(
    'not_found',
    'The event does not exist or is no longer retained. Subscribe without `after`.',
  );
