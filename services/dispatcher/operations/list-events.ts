import { steadyNow, type Answer, type Call, type Handler, type StoredEvent } from '@roster/bus';
import {
  type EventBody,
  type InputOf,
  invalidFields,
  type Operations,
  type OutputOf,
  timeOfId,
  uuidOf,
} from '@roster/contracts';
import { subjectOf } from './delivery-row.js';
import { settleInTurns } from './settle-in-turns.js';
import { cursorOf, eventsAfter, placeOf, positionOf, type LogPosition } from './log-position.js';
import type { DispatcherService } from '../service.js';

type ListEvents = Operations['event-log.list'];
type ListCall = Call<InputOf<ListEvents>>;
type Page = OutputOf<ListEvents>;
export type ListedEvent = Page['events'][number];

/** Events that are read for one page. A page with a filter that few events match ends there, and is shorter. */
export const readMax = 1000;
/** A page that is read for so long, in milliseconds, ends there too: its caller would not wait for it. */
const readMsMax = 1000;
/** How much later than its time an event may be stored by the clock of the stream, and still be found by `since`. */
const clockMarginMs = 60_000;

/** Reads the stream once for each call. */
export const listEvents =
  (service: DispatcherService): Handler<ListEvents> =>
  (calls) =>
    settleInTurns(calls, (call) =>
      call.input.order === 'desc' ? listBackwards(call, service) : listForwards(call, service),
    );

async function listForwards(
  { input, caller }: ListCall,
  service: DispatcherService,
): Promise<Answer<Page>> {
  const { workspaceId } = caller;
  const position = input.after === undefined ? undefined : positionOf(input.after);
  if (position && isExpired(position, service))
    return invalidFields([{ pointer: '/after', message: expired }]);
  // Read before the page: events that are stored meanwhile follow it.
  const newest =
    position || startMs(input) === undefined
      ? undefined
      : await service.log.newestEvent(workspaceId);
  const fromMs = position?.fromMs ?? startMs(input);
  const stored = service.log.readEvents({ workspaceId, fromMs, at: position?.at });
  const { events, last, hasMore } = await pageOf(
    position ? eventsAfter(position, stored) : stored,
    input,
  );
  const end = last ?? newest;
  const next = end ? cursorOf(end) : position ? unexpired(input.after!, position, service) : null;
  return { events, pagination: { limit: input.limit, next, hasMore } };
}

/** Events that were stored before the position, or all, newest first. They are complete without those that were not kept. */
async function listBackwards(
  { input, caller }: ListCall,
  { log }: DispatcherService,
): Promise<Answer<Page>> {
  const { workspaceId } = caller;
  const position = input.after === undefined ? undefined : positionOf(input.after);
  const place =
    position &&
    (await placeOf(
      position,
      log.readEvents({ workspaceId, fromMs: position.fromMs, at: position.at }),
    ));
  const earliestMs = startMs(input) ?? 0;
  const select = selectorOf(input);
  const events: ListedEvent[] = [];
  let last: StoredEvent | undefined;
  const mayRead = readBudget();
  const page = (hasMore: boolean): Page => {
    const next = hasMore && last ? cursorOf(last) : null;
    return { events, pagination: { limit: input.limit, next, hasMore: next !== null } };
  };
  const stored = log.readEventsBefore(workspaceId, place?.sequence);
  try {
    for (const earlier = place?.earlier ?? []; ;) {
      const { value, done } = earlier.length > 0 ? { value: earlier.pop()! } : await stored.next();
      if (done) return page(value);
      if (value.storedMs < earliestMs) return page(false);
      if (events.length === input.limit || !mayRead()) return page(true);
      last = value;
      const listed = select(value);
      if (listed) events.push(listed);
    }
  } finally {
    await stored.return(false);
  }
}

/**
 * When the first event that matches was stored, at the earliest. Leaves a minute for clocks that differ. A contact has no event from
 * before its creation, whose time its ID contains. Undefined for the oldest event.
 */
function startMs({ since, contactId }: ListCall['input']): number | undefined {
  if (since === undefined && contactId === undefined) return undefined;
  const born = contactId === undefined ? 0 : timeOfId(uuidOf('contact', contactId));
  return Math.max(0, Math.max(born, since === undefined ? 0 : Date.parse(since)) - clockMarginMs);
}

/** Each call asks for one more event of a page. The first one is always read, so that the next page continues after it. */
function readBudget(): () => boolean {
  const endMs = steadyNow() + readMsMax;
  let read = 0;
  return () => {
    read += 1;
    return read <= readMax && (read === 1 || steadyNow() < endMs);
  };
}

/** An event if it matches the filters. Times are compared exactly. */
function selectorOf({ kinds, since, contactId }: ListCall['input']) {
  return (event: StoredEvent): ListedEvent | undefined => {
    if (kinds && !(kinds as string[]).includes(event.kind)) return undefined;
    const listed = listedEvent(event);
    if (!listed || (since !== undefined && listed.createdAt < since)) return undefined;
    if (contactId === undefined) return listed;
    return subjectOf(event.body)?.contactId === contactId ? listed : undefined;
  };
}

async function pageOf(
  stored: AsyncGenerator<StoredEvent, void, void>,
  input: ListCall['input'],
): Promise<{ events: ListedEvent[]; last: StoredEvent | undefined; hasMore: boolean }> {
  const select = selectorOf(input);
  const events: ListedEvent[] = [];
  let last: StoredEvent | undefined;
  const mayRead = readBudget();
  for await (const event of stored) {
    if (events.length === input.limit || !mayRead()) return { events, last, hasMore: true };
    last = event;
    const listed = select(event);
    if (listed) events.push(listed);
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
