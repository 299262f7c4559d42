import { isEvent, type StoredEvent, type StreamReader } from './stream-reader.js';

export interface ReadEventsOptions {
  workspaceId: string;
  /** Only events that were stored at or after this time, in milliseconds since the epoch. */
  fromMs?: number | undefined;
}

/** The server counts nanoseconds in 64 bits. A later start overflows, and becomes one before the first event. */
const fromMsMax = Number((2n ** 63n - 1n) / 1_000_000n);

/**
 * Reads the events of one workspace that the stream holds at this moment, in the order in which they were stored. An event that is
 * stored later follows all of them.
 *
 * @throws Fault `unavailable`
 */
export async function* readEvents(
  reader: StreamReader,
  { workspaceId, fromMs }: ReadEventsOptions,
): AsyncGenerator<StoredEvent, void, void> {
  if (fromMs !== undefined && fromMs > fromMsMax) return;
  const newest = await reader.newest(workspaceId);
  if (!newest) return;
  let event =
    fromMs === undefined
      ? await reader.next(workspaceId, 1)
      : await reader.firstSince(workspaceId, fromMs);
  while (event && event.sequence <= newest.sequence) {
    if (isEvent(event)) yield event;
    if (event.sequence === newest.sequence) return;
    event = await reader.next(workspaceId, event.sequence + 1);
  }
}
