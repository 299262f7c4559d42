import {
  decodeId,
  encodeId,
  eventIdStart,
  eventStream,
  eventSubject,
  Fault,
} from '@roster/contracts';
import {
  DeliverPolicy,
  NatsError,
  type JetStreamManager,
  type JsMsg,
  type OrderedConsumerOptions,
} from 'nats';
import { unavailable } from '../calls/frame/faults.js';
import type { FailureLog } from '../failure-log.js';
import type { Link } from '../link.js';
import { headersOf } from './headers-of.js';
import { isRefusal, JetStreamCode } from './jetstream-error.js';

/** An event of one workspace, as stored in the stream. */
export interface FollowedEvent {
  id: string;
  kind: string;
  body: Uint8Array;
}

export interface FollowOptions {
  workspaceId: string;
  /**
   * ID of the event after which to start, or of a delivery of it, or `beforeAllEvents`. Without it, the subscription starts with
   * events stored from now on.
   */
  after?: string | undefined;
  /** What it throws is logged, and the event is skipped. */
  onEvent: (event: FollowedEvent) => void;
  /** Called at most once, and never after `stop`, when the subscription ends because of an error. */
  onEnd: (fault: Fault) => void;
}

/** The position before the oldest event that is retained: the ID of no event. */
export const beforeAllEvents = encodeId('event', '00000000-0000-0000-0000-000000000000');

/** Maximum clock skew between the process that created an event ID and the stream. */
const clockMarginMs = 60_000;

/**
 * Follows the events of one workspace, each once and in stream order, through restarts of NATS. Once it resolves, every event
 * stored later is delivered. Messages that are not events are skipped: a service with stolen credentials can store them, and a
 * subscription that resumes before one of them would otherwise end at it every time.
 *
 * @param failures logs what was skipped
 * @returns a function that stops it
 * @throws Fault `not_found` if the event to start after is unknown or no longer retained; `unavailable`
 */
export async function followEvents(
  link: Link,
  failures: FailureLog,
  options: FollowOptions,
): Promise<() => void> {
  return withManager(link, async (manager) =>
    follow(link, failures, options, await startOf(manager, options)),
  );
}

/**
 * The ID of the newest event of a workspace; `beforeAllEvents` if there is none, or if a message that is not an event was stored
 * after it. A subscription that starts after it receives every event that is stored from now on.
 *
 * @throws Fault `unavailable`
 */
export async function newestEventId(link: Link, workspaceId: string): Promise<string> {
  return withManager(link, async (manager) => (await newestOf(manager, workspaceId)).id);
}

async function withManager<T>(
  link: Link,
  ask: (manager: JetStreamManager) => Promise<T>,
): Promise<T> {
  if (!link.up) throw unavailable('no connection to NATS');
  try {
    return await ask(await link.nats.jetstreamManager({ checkAPI: false }));
  } catch (error) {
    if (error instanceof NatsError) throw unavailable(error.message);
    throw error;
  }
}

interface Start {
  at: Partial<OrderedConsumerOptions>;
  /** The event to start after, which is searched for. */
  sought?: {
    isIt(id: string): boolean;
    /** An upper bound for its position. */
    until: number;
  };
}

async function startOf(
  manager: JetStreamManager,
  { workspaceId, after }: FollowOptions,
): Promise<Start> {
  const { state } = await manager.streams.info(eventStream);
  const next = state.last_seq + 1;
  if (after === undefined)
    return { at: { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: next } };
  if (after === beforeAllEvents)
    return { at: { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: 1 } };
  const eventUuid = decodeId('event', after);
  const uuid = eventUuid ?? decodeId('delivery', after);
  if (uuid === undefined) throw unknownEvent();
  const newest = await newestOf(manager, workspaceId);
  // A UUIDv7 begins with the milliseconds of its creation, which precedes the storing of the event.
  const madeAt = Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
  const from = Math.max(0, madeAt - clockMarginMs);
  if (newest === noEvent || newest.storedAt < from) throw unknownEvent();
  return {
    at: {
      deliver_policy: DeliverPolicy.StartTime,
      opt_start_time: new Date(from).toISOString(),
    },
    sought: {
      isIt: eventUuid === undefined ? mayHaveDelivery(uuid) : (id) => id === after,
      until: newest.sequence,
    },
  };
}

/**
 * Several processes may create events with the same time and counter. Starting after the first of them skips none, and repeats
 * the event of the delivery if it is not the first.
 */
function mayHaveDelivery(deliveryUuid: string): (eventId: string) => boolean {
  const start = eventIdStart(deliveryUuid);
  return (id) => decodeId('event', id)?.startsWith(start) ?? false;
}

interface NewestEvent {
  id: string;
  sequence: number;
  /** In milliseconds since the epoch. */
  storedAt: number;
}

async function newestOf(manager: JetStreamManager, workspaceId: string): Promise<NewestEvent> {
  try {
    const query = { last_by_subj: eventSubject(workspaceId, '*') };
    const message = await manager.streams.getMessage(eventStream, query);
    const id = headersOf(message)?.get('Nats-Msg-Id') ?? '';
    return {
      // After a message that is not an event nobody could resume.
      id: decodeId('event', id) === undefined ? beforeAllEvents : id,
      sequence: message.seq,
      storedAt: message.time.getTime(),
    };
  } catch (error) {
    const { NoMessageFound, StreamNotFound } = JetStreamCode;
    if (isRefusal(error, NoMessageFound) || isRefusal(error, StreamNotFound)) return noEvent;
    throw error;
  }
}

const noEvent: NewestEvent = { id: beforeAllEvents, sequence: 0, storedAt: 0 };

async function follow(
  link: Link,
  failures: FailureLog,
  { workspaceId, onEvent, onEnd }: FollowOptions,
  { at, sought }: Start,
): Promise<() => void> {
  const consumer = await link.nats.jetstream().consumers.get(eventStream, {
    filterSubjects: eventSubject(workspaceId, '*'),
    inactive_threshold: inactiveMs * 1e6,
    ...at,
  });
  const messages = await consumer.consume({ max_messages: pullMax });
  let stopped = false;
  let begun = sought === undefined;
  const found = Promise.withResolvers<void>();
  if (begun) found.resolve();
  const pass = ({ subject, seq, data: body }: JsMsg, id: string) => {
    try {
      if (decodeId('event', id) === undefined) throw new TypeError('it has no ID of an event');
      onEvent({ id, kind: subject.slice(subject.lastIndexOf('.') + 1), body });
    } catch (error) {
      // The message of a syntax error quotes the body: each would be a reason of its own, and bodies are not logged.
      const reason = error instanceof SyntaxError ? new TypeError('its body is not JSON') : error;
      failures.warn(reason, { subject, seq });
    }
  };
  void (async () => {
    for await (const message of messages) {
      const id = headersOf(message)?.get('Nats-Msg-Id') ?? '';
      if (begun) {
        if (!stopped) pass(message, id);
      } else if (sought!.isIt(id)) {
        begun = true;
        found.resolve();
      } else if (message.seq >= sought!.until) {
        found.reject(unknownEvent());
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      if (!stopped) onEnd(unavailable('the event consumer was stopped'));
    });
  const stop = () => {
    stopped = true;
    messages.stop();
    if (link.up) void consumer.delete().catch(() => {});
  };
  const timer = setTimeout(() => found.reject(unknownEvent()), seekMs);
  try {
    await found.promise;
  } catch (error) {
    stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return stop;
}

const unknownEvent = () =>
  new Fault(
    'not_found',
    'The event does not exist or is no longer retained. Subscribe without `after`.',
  );

const pullMax = 100;
/** Inactivity after which the server deletes the consumer. */
const inactiveMs = 60_000;
/** Time limit of the search for the event to start after. */
const seekMs = 10_000;
