import type { StoredMessage, StreamTail, EventMessage } from '@roster/bus';

/** A message of the stream, distinguished by its time from any other at the same sequence. */
export interface Position {
  sequence: number;
  time: string;
}

export const positionOf = ({ last, lastTime }: StreamTail): Position => ({
  sequence: last,
  time: lastTime,
});

/** Messages before the first one of the stream have expired: they were stored. */
export const isAgedOut = (sequence: number, { first, last }: StreamTail): boolean =>
  sequence < first && sequence <= last;

/** Whether the stream still holds the message. */
export async function isHeld(
  { sequence, time }: Position,
  stream: OutboxStream,
  tail: StreamTail,
): Promise<boolean> {
  if (sequence > tail.last) return false;
  if (isAgedOut(sequence, tail)) return true;
  const message: StoredMessage | undefined = await stream.messageAt(sequence);
  return message?.time === time;
}

/**
 * How many positions the stream holds, counted from the first. A stream loses its latest messages, so the held positions
 * precede the lost ones.
 */
export async function countHeld(
  positions: readonly Position[],
  stream: OutboxStream,
  tail: StreamTail,
): Promise<number> {
  let [held, lost] = [0, positions.length];
  while (held < lost) {
    const middle = Math.floor((held + lost) / 2);
    if (await isHeld(positions[middle]!, stream, tail)) held = middle + 1;
    else lost = middle;
  }
  return held;
}

/** How much further back than a position the one that is kept before it may be. */
const factor = 4;

/**
 * Adds the newest position, and keeps as few of the earlier ones as are not more than `factor` times further back than their
 * followers, or followed them directly. As distances grow, this remains so: however many messages the stream loses, a held position is
 * at most so much further back.
 */
export function withPosition(positions: readonly Position[], newest: Position): Position[] {
  if (newest.sequence <= 0) return [];
  const earlier = positions.filter(({ sequence }) => sequence < newest.sequence);
  const distanceOf = ({ sequence }: Position) => newest.sequence - sequence;
  const kept = [newest];
  for (let at = earlier.length - 1; at >= 0; at -= 1) {
    const before = earlier[at - 1];
    if (!before || distanceOf(before) > factor * distanceOf(kept.at(-1)!)) kept.push(earlier[at]!);
  }
  return kept.toReversed();
}

/** The event stream as used by the outbox. All methods reject if NATS is unreachable. */
export interface OutboxStream {
  /** Resolves with the sequence of the event; for a duplicate, of the first one. Rejects if the outcome is unknown. */
  publish(message: EventMessage): Promise<number>;
  tail(): Promise<StreamTail>;
  messageAt(sequence: number): Promise<StoredMessage | undefined>;
}
