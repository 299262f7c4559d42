import type { Answer, Call, Handler, StoredEvent } from '@roster/bus';
import {
  invalidFields,
  type EventBody,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { settleInTurns } from './settle-in-turns.js';
import { cursorOf, eventsAfter, positionOf, type LogPosition } from './log-position.js';
import type { DispatcherService } from '../service.js';

type ListEvents = Operations['event-log.list'];
type ListCall = Call<InputOf<ListEvents>>;
type Page = OutputOf<ListEvents>;
export type ListedEvent = Page['events'][number];

/** Events that are read for one page. A page with a filter that few events match ends there, and is shorter. */
export const readMax = 1000;
/** How much later than its time an event may be stored by the clock of the stream, and still be found by `since`. */
const clockMarginMs = 60_000;

/** Reads the stream once for each call. */
export const listEvents =
  (service: DispatcherService): Handler<ListEvents> =>
  (calls) =>
    settleInTurns(calls, (call) => listOne(call, service));

async function listOne(
  { input, caller }: ListCall,
  service: DispatcherService,
): Promise<Answer<Page>> {
  const { workspaceId } = caller;
  const position = input.after === undefined ? undefined : positionOf(input.after);
  if (position && isExpired(position, service))
    return invalidFields([{ pointer: '/after', message: expired }]);
  // Read before the page: events that are stored meanwhile follow it.
  const newest =
    position || input.since === undefined ? undefined : await service.log.newestEvent(workspaceId);
  const fromMs = position?.fromMs ?? sinceMs(input);
  const stored = service.log.readEvents({ workspaceId, fromMs, at: position?.at });
  const { events, last, hasMore } = await pageOf(
    position ? eventsAfter(position, stored) : stored,
    input,
  );
  const end = last ?? newest;
  const next = end ? cursorOf(end) : position ? unexpired(input.after!, position, service) : null;
  return { events, pagination: { limit: input.limit, next, hasMore } };
}

/** Leaves a minute for clocks that differ. The time of each event is compared exactly. */
const sinceMs = ({ since }: ListCall['input']): number | undefined =>
  since === undefined ? undefined : Math.max(0, Date.parse(since) - clockMarginMs);

async function pageOf(
  stored: AsyncGenerator<StoredEvent, void, void>,
  { kinds, since, limit }: ListCall['input'],
): Promise<{ events: ListedEvent[]; last: StoredEvent | undefined; hasMore: boolean }> {
  const events: ListedEvent[] = [];
  let last: StoredEvent | undefined;
  let read = 0;
  for await (const event of stored) {
    if (events.length === limit || read === readMax) return { events, last, hasMore: true };
    read += 1;
    last = event;
    if (kinds && !(kinds as string[]).includes(event.kind)) continue;
    const listed = listedEvent(event);
    if (listed && (since === undefined || listed.createdAt >= since)) events.push(listed);
  }
  return { events, last, hasMore: false };
}

/** Undefined if the body is not that of an event. Such a message is not listed. */
export function listedEvent({
  id,
  kind,
  body,
}: Pick<StoredEvent, 'id' | 'kind' | 'body'>): ListedEvent | undefined {
  try {
    const { created_at: createdAt, data } = JSON.parse(body) as EventBody;
    return typeof createdAt === 'string' ? { id, kind, createdAt, data } : undefined;
  } catch {
    return undefined;
  }
}

/** The stream removes events by age only. */
const isExpired = ({ fromMs }: LogPosition, { retainedSeconds }: DispatcherService): boolean =>
  fromMs < Date.now() - retainedSeconds * 1000;

/**
 * A position after which there is no event yet, of a reader that has waited for half of the retention. Its cursor gets a later
 * time: otherwise it would expire, although the reader has missed nothing. Clocks differ by less than a quarter of the retention.
 */
function unexpired(
  after: string,
  { cursorAt, fromMs }: LogPosition,
  { retainedSeconds }: DispatcherService,
): string {
  const quarterMs = retainedSeconds * 250;
  const laterMs = Date.now() - quarterMs;
  return fromMs > laterMs - quarterMs ? after : cursorAt(laterMs);
}

const expired =
  'is older than the events that are kept: some may have been missed; omit it to start with the oldest one';
