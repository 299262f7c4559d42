import type { StoredEvent } from '@roster/bus';
import { decodeId, encodeId, eventIdStart, invalidFields, timeOfId } from '@roster/contracts';

/** A position in the log of a workspace: after an event. */
export interface LogPosition {
  /** The cursor of this position with another time. */
  cursorAt(storedMs: number): string;
  /** The message of its event. Unknown if the position is the ID of an event. */
  at?: { sequence: number; storedMs: number };
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

/**
 * The position after an event, as a cursor: a UUID with its sequence and the end of its ID, and when it was stored. Times alone are
 * not enough: if the clock of the stream steps back, later events have earlier times. UUIDs of events have version 7, and this one
 * version 8. Processes of 0.2.0 find no event with it, and continue with all events since its time.
 */
export function cursorOf({ id, sequence, storedMs }: StoredEvent): string {
  const uuid = decodeId('event', id)!;
  const hex = sequence.toString(16).padStart(12, '0');
  const place = `${hex.slice(0, 8)}-${hex.slice(8)}-8000-8${endOf(uuid)}`;
  return cursorAt(encodeId('event', place), storedMs);
}

const cursorAt = (id: string, storedMs: number): string =>
  `${id.slice(prefix.length)}-${Math.floor(storedMs).toString(36)}`;

/** What follows the version and the variant of a UUID: random. */
const endOf = (uuid: string): string => uuid.slice(20);

/**
 * The position of a cursor, or of the ID of an event or of a delivery.
 *
 * @throws Fault `invalid`
 */
export function positionOf(after: string): LogPosition {
  const [, text = '', time = ''] = cursorShape.exec(after) ?? [];
  const storedMs = Number.parseInt(time, 36);
  const ofCursor = decodeId('event', prefix + text);
  if (ofCursor !== undefined && !isFuture(storedMs)) return positionOfCursor(ofCursor, storedMs);
  const event = decodeId('event', after);
  const uuid = event ?? decodeId('delivery', after);
  if (uuid === undefined || isFuture(timeOfId(uuid)))
    throw invalidFields([{ pointer: '/after', message: malformed }]);
  const start = eventIdStart(uuid);
  const isOne = (id: string): boolean =>
    event === undefined ? (decodeId('event', id)?.startsWith(start) ?? false) : id === after;
  return {
    cursorAt: (ms) => cursorAt(encodeId('event', uuid), ms),
    fromMs: Math.max(0, timeOfId(uuid) - clockMarginMs),
    // Events that were lost with it may have been published again before it.
    isLast: ({ id, republished }) => isOne(id) && !republished,
    isPast: ({ id, republished }) => isOne(id) && republished,
  };
}

function positionOfCursor(uuid: string, storedMs: number): LogPosition {
  const id = encodeId('event', uuid);
  const hasSequence = uuid[14] === '8';
  const sequence = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
  const isOne = (event: StoredEvent): boolean =>
    hasSequence
      ? event.sequence === sequence && decodeId('event', event.id)!.endsWith(endOf(uuid))
      : event.id === id;
  return {
    cursorAt: (ms) => cursorAt(id, ms),
    ...(hasSequence && { at: { sequence, storedMs } }),
    fromMs: storedMs,
    // An event that was published again is stored at another time, and so is everything that was published again with it.
    isLast: (event) => event.storedMs === storedMs && isOne(event),
    isPast: (event) => event.storedMs > storedMs,
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

/**
 * Where the events before a position end: the sequence of its message, and the events of that message before it, in their order. If
 * its event is not found, those before the first event since its time; all if there is none since.
 *
 * @param events those since the time of the position
 */
export async function placeOf(
  position: LogPosition,
  events: AsyncGenerator<StoredEvent, void, void>,
): Promise<{ sequence: number | undefined; earlier: StoredEvent[] }> {
  let first: number | undefined;
  let earlier: StoredEvent[] = [];
  let read = 0;
  for await (const event of events) {
    const { sequence } = event;
    first ??= sequence;
    if (earlier[0]?.sequence !== sequence) earlier = [];
    if (position.isLast(event)) return { sequence, earlier };
    if (position.isPast(event) || ++read === soughtMax) break;
    earlier.push(event);
  }
  return { sequence: first, earlier: [] };
}
