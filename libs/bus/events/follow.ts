import { decodeId, encodeId, eventIdStart, Fault } from '@roster/contracts';
import { unavailable } from '../calls/frame/faults.js';
import type { EventFeed } from './event-feed.js';
import { idOf } from './event-message.js';
import { Follower, type FollowerOptions, type FollowStart } from './follower.js';
import type { StreamReader } from './stream-reader.js';

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
  const event = newest?.events.at(-1);
  return (event && idOf(event)) || beforeAllEvents;
}

async function startOf(
  reader: StreamReader,
  workspaceId: string,
  after: string | undefined,
  end: number,
): Promise<FollowStart> {
  if (after === undefined) return { sequence: end + 1, skip: 0 };
  if (after === beforeAllEvents) return { sequence: 1, skip: 0 };
  const eventUuid = decodeId('event', after);
  const uuid = eventUuid ?? decodeId('delivery', after);
  if (uuid === undefined) throw unknownEvent();
  const isIt = eventUuid === undefined ? mayHaveDelivery(uuid) : (id: string) => id === uuid;
  // A UUIDv7 begins with the milliseconds of its creation, which precedes the storing of the event.
  const madeAt = Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
  if (madeAt - clockMarginMs > Date.now()) throw unknownEvent();
  const deadline = performance.now() + seekMs;
  let message = await reader.firstSince(workspaceId, Math.max(0, madeAt - clockMarginMs));
  while (message && message.sequence <= end) {
    const { sequence, events } = message;
    const index = events.findIndex(({ id }) => isIt(id));
    if (index !== -1) return { sequence, skip: index + 1 };
    if (performance.now() > deadline) throw unavailable('too many events to search');
    message = await reader.next(workspaceId, sequence + 1);
  }
  throw unknownEvent();
}

/**
 * Several processes may create events with the same time and counter. Starting after the first of them skips none, and repeats
 * the event of the delivery if it is not the first.
 */
function mayHaveDelivery(deliveryUuid: string): (eventUuid: string) => boolean {
  const start = eventIdStart(deliveryUuid);
  return (id) => id.startsWith(start);
}

const unknownEvent = () =>
  new Fault(
    'not_found',
    'The event does not exist or is no longer retained. Subscribe without `after`.',
  );
