import { wait } from './request.js';
import { RosterError } from './roster-error.js';

/** Where to begin, and what to follow. */
export interface FollowOptions<Kind extends string = string> {
  /** The position of an event, or the ID of an event or of a delivery: begins with the event after it. */
  after?: string | undefined;
  /** Begins with the events that happened at or after this time. Without `after` and `since`, with those published from now on. */
  since?: string | Date | undefined;
  /** Only events of these kinds. */
  kinds?: Kind[] | undefined;
  /** Ends following, which throws the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Longest wait between two requests while no event is published; 1,000 by default. */
  intervalMs?: number | undefined;
  /** How long a request may take; 10,000 by default. A connection that is dead is noticed by then. */
  timeoutMs?: number | undefined;
  /** Called after each answer, before its events. */
  onPage?: ((page: FollowedPage) => void) | undefined;
  /** Called when a request failed, before it is sent again. */
  onTrouble?: ((error: Error, waitMs: number) => void) | undefined;
}

export interface FollowedPage {
  /** Number of its events that follow. */
  events: number;
  /** The position when they have been received. Undefined while the log has no event. */
  position: string | undefined;
  /** Whether there may be further events already. */
  hasMore: boolean;
}

/** An event and its position: `after` of a later call continues with the next event. */
export type Followed<Event> = Event & { position: string };

interface Page<Event> {
  events: Event[];
  pagination: { next: string | null; hasMore: boolean };
}
interface Query<Kind> {
  after?: string;
  since?: string;
  kinds?: Kind[];
  limit?: number;
}
type ListEvents<Event, Kind> = (
  query: Query<Kind>,
  options: { signal?: AbortSignal; timeoutMs: number },
) => Promise<Page<Event>>;

/** A time after all events: the answer is the end of the log. */
const endOfTime = '9999-12-31T23:59:59.999Z';
const pageMax = 100;
const shortestWaitMs = 250;
const longestWaitMs = 60_000;
const longestTroubleMs = 8000;
/** Events may be published again with another position, when the server lost the newest ones: this many are known. */
const knownMax = 1000;

/**
 * Follows the log of events: each event once, in the order of the log, for ever. After any failure it continues behind the last
 * event that was received. A page is requested when the events of the one before are taken: memory is bounded.
 *
 * @param list sends one request, and does not repeat it
 * @throws what refuses the key or the position; the reason of the signal
 */
export async function* followEvents<Event extends { id: string }, Kind extends string>(
  list: ListEvents<Event, Kind>,
  { after, since, kinds, signal, ...options }: FollowOptions<Kind> = {},
): AsyncGenerator<Followed<Event>, void, void> {
  const { intervalMs = 1000, timeoutMs = 10_000, onPage, onTrouble } = options;
  const known = new Set<string>();
  const filter = kinds && { kinds };
  // The position of an event is the cursor of the page before, and its ID. An ID alone is searched by the clock of the process that made it.
  let [cursor, received] = (after ?? '').split('~') as [string, string?];
  let from = after === undefined && since === undefined ? endOfTime : since && timeOf(since);
  let waitMs = 0;
  let failures = 0;
  for (;;) {
    if (waitMs > 0) await wait(waitMs, signal);
    signal?.throwIfAborted();
    let page: Page<Event>;
    try {
      page = await list(
        {
          ...filter,
          limit: pageMax,
          ...(cursor && { after: cursor }),
          ...(from !== undefined && { since: from }),
        },
        { timeoutMs, ...(signal && { signal }) },
      );
      if (!Array.isArray(page.events) || !page.pagination)
        throw new RosterError('unexpected_response', { detail: 'The answer is not a page.' });
    } catch (error) {
      signal?.throwIfAborted();
      if (isRefusal(error as Answered)) throw error;
      waitMs = waitMsOf(error as Answered, failures++);
      onTrouble?.(error as Error, waitMs);
      continue;
    }
    failures = 0;
    const { next, hasMore } = page.pagination;
    const events = page.events.slice(page.events.findIndex(({ id }) => id === received) + 1);
    const position = next ?? (cursor || undefined);
    onPage?.({ events: events.length, position, hasMore });
    for (const [index, event] of events.entries()) {
      if (known.has(event.id)) continue;
      known.add(event.id);
      if (known.size > knownMax) known.delete(known.values().next().value!);
      // The cursor of a page is also behind events of other kinds.
      const isLast = index === events.length - 1 && next !== null && !kinds;
      yield { ...event, position: isLast ? next : cursor ? `${cursor}~${event.id}` : event.id };
    }
    cursor = next ?? cursor;
    received = undefined;
    // At the end of the log, the cursor alone says what follows. If it has no event, all of its events are later.
    if (!hasMore) from = undefined;
    waitMs = hasMore
      ? 0
      : events.length > 0
        ? shortestWaitMs
        : Math.max(shortestWaitMs, waitMs * 2);
    waitMs = Math.min(waitMs, intervalMs);
  }
}

const timeOf = (time: string | Date): string =>
  typeof time === 'string' ? time : time.toISOString();

interface Answered {
  status?: number;
  code?: string;
  retryAfterSeconds?: number;
}

/** Whether the key or the position is refused. Answers that are not from Roster, such as those of a proxy, end. */
const isRefusal = ({ status, code }: Answered): boolean =>
  status === undefined || ([400, 401, 403, 422].includes(status) && code !== 'unexpected_response');

/** At random, so that many clients do not come back together. */
const waitMsOf = ({ retryAfterSeconds = 0 }: Answered, failures: number): number =>
  Math.max(
    Math.min(retryAfterSeconds * 1000, longestWaitMs),
    shortestWaitMs + Math.random() * Math.min(longestTroubleMs, 500 * 2 ** failures),
  );
