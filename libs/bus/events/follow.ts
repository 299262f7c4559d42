import { decodeId, eventStream, eventSubject, Fault } from '@roster/contracts';
import { DeliverPolicy, NatsError, type JetStreamManager, type OrderedConsumerOptions } from 'nats';
import { unavailable } from '../calls/faults.js';
import type { Link } from '../link.js';
import { isRefusal, JetStreamCode } from './jetstream-error.js';

/** An event of one workspace, as it stands in the stream. */
export interface FollowedEvent {
  id: string;
  kind: string;
  body: Uint8Array;
}

export interface FollowOptions {
  workspaceId: string;
  /** Id of the event to begin behind. Without it, with what is stored from now on. */
  after?: string | undefined;
  onEvent: (event: FollowedEvent) => void;
  /** Called at most once, and not after stopping: the events cannot be followed any further. */
  onEnd: (fault: Fault) => void;
}

/** How far the clock that made an event's id may be ahead of the stream's. */
const clockMarginMs = 60_000;

/**
 * Follows the events of one workspace, in the order of the stream and each once, through restarts of NATS. Resolves when
 * every event stored from here on will come.
 *
 * @returns how to stop
 * @throws Fault `not_found` when the event to begin behind is unknown, or no longer kept; `unavailable`
 */
export async function followEvents(link: Link, options: FollowOptions): Promise<() => void> {
  if (!link.up) throw unavailable('no connection to NATS');
  try {
    const manager = await link.nats.jetstreamManager({ checkAPI: false });
    return await follow(link, options, await startOf(manager, options));
  } catch (error) {
    if (error instanceof NatsError) throw unavailable(error.message);
    throw error;
  }
}

interface Start {
  at: Partial<OrderedConsumerOptions>;
  /** The event to begin behind comes not later than here. */
  soughtUntil: number;
}

async function startOf(
  manager: JetStreamManager,
  { workspaceId, after }: FollowOptions,
): Promise<Start> {
  const { state } = await manager.streams.info(eventStream);
  const next = state.last_seq + 1;
  if (after === undefined)
    return {
      at: { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: next },
      soughtUntil: 0,
    };
  const uuid = decodeId('event', after);
  if (uuid === undefined) throw unknownEvent();
  const last = await lastOf(manager, workspaceId);
  // A UUIDv7 begins with the milliseconds of its making, which is before the event was stored.
  const madeAt = Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
  const from = Math.max(0, madeAt - clockMarginMs);
  if (last.storedAt < from) throw unknownEvent();
  return {
    at: {
      deliver_policy: DeliverPolicy.StartTime,
      opt_start_time: new Date(from).toISOString(),
    },
    soughtUntil: last.sequence,
  };
}

/** @throws Fault `not_found` when the workspace has no event */
async function lastOf(
  manager: JetStreamManager,
  workspaceId: string,
): Promise<{ sequence: number; storedAt: number }> {
  try {
    const query = { last_by_subj: eventSubject(workspaceId, '*') };
    const { seq, time } = await manager.streams.getMessage(eventStream, query);
    return { sequence: seq, storedAt: time.getTime() };
  } catch (error) {
    if (isRefusal(error, JetStreamCode.NoMessageFound)) throw unknownEvent();
    throw error;
  }
}

async function follow(
  link: Link,
  { workspaceId, after, onEvent, onEnd }: FollowOptions,
  { at, soughtUntil }: Start,
): Promise<() => void> {
  const consumer = await link.nats.jetstream().consumers.get(eventStream, {
    filterSubjects: eventSubject(workspaceId, '*'),
    inactive_threshold: inactiveMs * 1e6,
    ...at,
  });
  const messages = await consumer.consume({ max_messages: pullMax });
  let stopped = false;
  let begun = after === undefined;
  const found = Promise.withResolvers<void>();
  if (begun) found.resolve();
  void (async () => {
    for await (const message of messages) {
      const id = message.headers?.get('Nats-Msg-Id') ?? '';
      if (begun) {
        const kind = message.subject.slice(message.subject.lastIndexOf('.') + 1);
        if (!stopped) onEvent({ id, kind, body: message.data });
      } else if (id === after) {
        begun = true;
        found.resolve();
      } else if (message.seq >= soughtUntil) {
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
/** When the server forgets a consumer nobody pulls from. */
const inactiveMs = 60_000;
/** How long the event to begin behind may be sought. */
const seekMs = 10_000;
