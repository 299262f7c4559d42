import type { ConsumedEvent } from '@roster/bus';
import type { StreamPosition } from '@roster/contracts';
import { timeOfId } from '@roster/process';

/** When a webhook changed, by the clock of the webhooks service. */
export interface Moment {
  ms: number;
  /** The end of the stream shortly before; null if it is unknown. */
  position: StreamPosition | null;
}

/** The fields that determine when an event happened. */
export type EventMoment = Pick<ConsumedEvent, 'rawId' | 'position' | 'republished'>;

/**
 * Maximum difference between the clocks of two machines, and between the time in the ID of an event and its commit, where only
 * times can be compared.
 */
const toleranceMs = 2 * 3_600_000;

/**
 * Whether an event happened before a moment; undefined if it is not certain. Positions in the same stream tell it exactly: the
 * position of the moment was read before its change was committed. Only times tell it of events that were published again, for
 * example because the stream was created again, and where no position is known.
 */
export function comesBefore(event: EventMoment, { ms, position }: Moment): boolean | undefined {
  if (position?.stream === event.position.stream) {
    const { sequence, storedNs } = event.position;
    if (sequence <= position.sequence && storedNs <= position.storedNs) return true;
    if (!event.republished) return false;
  }
  const differenceMs = timeOfId(event.rawId) - ms;
  return Math.abs(differenceMs) > toleranceMs ? differenceMs < 0 : undefined;
}
