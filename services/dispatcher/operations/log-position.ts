import type { StoredEvent } from '@roster/bus';
import { decodeId, encodeId, eventIdStart, invalidFields } from '@roster/contracts';
import { timeOfId } from '@roster/process';

/** A position in the log of a workspace: after an event. */
export interface LogPosition {
  /** Of its event, or one with the time and counter of that event. */
  id: string;
  /** Reading begins with the events that were stored at this time, in milliseconds since the epoch. */
  fromMs: number;
  /** Whether it is the event of the position: those after it follow the position. */
  isLast(event: StoredEvent): boolean;
  /** Whether the event of the position does not follow this one: the search for it ends. */
  isPast(event: StoredEvent): boolean;
}

/** Maximum difference between the clocks of the process that made an ID and of the stream, for the event to be found. */
const clockMarginMs = 2000;
const prefix = 'evt_';
/** Maximum difference between the clocks of any two processes: IDs and cursors of a later time have never been returned. */
const futureMarginMs = 60_000;
const cursorShape = /^([0-9a-z]{26})-([0-9a-z]{1,10})$/;

/** The position after an event, as a cursor: its ID without prefix, and when it was stored. */
export const cursorOf = ({ id, storedMs }: Pick<StoredEvent, 'id' | 'storedMs'>): string =>
  `${id.slice(prefix.length)}-${storedMs.toString(36)}`;

/**
 * The position of a cursor, or of the ID of an event or of a delivery.
 *
 * @throws Fault `invalid`
 */
export function positionOf(after: string): LogPosition {
  const [, text = '', time = ''] = cursorShape.exec(after) ?? [];
  const storedMs = Number.parseInt(time, 36);
  const ofCursor = decodeId('event', prefix + text);
  // An event that was published again is stored at another time, and so is everything that was published again with it.
  if (ofCursor !== undefined && !isFuture(storedMs)) {
    const id = encodeId('event', ofCursor);
    return {
      id,
      fromMs: storedMs,
      isLast: (event) => event.id === id && event.storedMs === storedMs,
      isPast: (event) => event.storedMs > storedMs,
    };
  }
  const event = decodeId('event', after);
  const uuid = event ?? decodeId('delivery', after);
  if (uuid === undefined || isFuture(timeOfId(uuid)))
    throw invalidFields([{ pointer: '/after', message: malformed }]);
  const start = eventIdStart(uuid);
  const isOne = (id: string): boolean =>
    event === undefined ? (decodeId('event', id)?.startsWith(start) ?? false) : id === after;
  return {
    id: encodeId('event', uuid),
    fromMs: Math.max(0, timeOfId(uuid) - clockMarginMs),
    // Events that were lost with it may have been published again before it.
    isLast: ({ id, republished }) => isOne(id) && !republished,
    isPast: ({ id, republished }) => isOne(id) && republished,
  };
}

const isFuture = (ms: number): boolean => ms > Date.now() + futureMarginMs;

const malformed =
  'must be `pagination.next`, or the ID of an event or delivery, such as evt_01jdd2wys0fgyhz8h5dak91jnw';

/** An event of the log; undefined if it is not among the first that were stored since its time. */
export async function findLogged(
  id: string,
  readFrom: (fromMs: number) => AsyncGenerator<StoredEvent, void, void>,
): Promise<StoredEvent | undefined> {
  const uuid = decodeId('event', id);
  if (uuid === undefined || isFuture(timeOfId(uuid))) return undefined;
  let read = 0;
  for await (const event of readFrom(positionOf(id).fromMs)) {
    if (event.id === id) return event;
    if (++read === soughtMax) return undefined;
  }
  return undefined;
}

/** Maximum number of events that are read to find the one of a position. */
const soughtMax = 5000;

/**
 * The events after a position. If its event is not found, all events since its time: some are then repeated, and none is omitted.
 *
 * @param events those since the time of the position
 */
export async function* eventsAfter(
  position: LogPosition,
  events: AsyncGenerator<StoredEvent, void, void>,
): AsyncGenerator<StoredEvent, void, void> {
  const held: StoredEvent[] = [];
  let isSeeking = true;
  for await (const event of events) {
    if (!isSeeking) {
      yield event;
      continue;
    }
    if (position.isLast(event)) {
      isSeeking = false;
      held.length = 0;
      continue;
    }
    held.push(event);
    if (!position.isPast(event) && held.length < soughtMax) continue;
    isSeeking = false;
    yield* held.splice(0);
  }
  yield* held;
}
