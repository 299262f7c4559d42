import { unavailable, type Bus } from '@roster/bus';
import {
  allKinds,
  eventKinds,
  Fault,
  requirePermission,
  type Caller,
  type EventBody,
  type EventKind,
  type Scope,
} from '@roster/contracts';
import { authenticate } from '../../http/callers/authenticate.js';
import type { KeyVerifier } from '../../operations/key-verifier.js';
import type { EventSource } from '../context.js';
import type { Activity } from '../resources/activity.js';
import { eventShape, type Event } from '../resources/event.js';
import type { Shares } from '../../http/shares.js';
import { errorOf } from '../errors.js';
import type { ActivityFeed, ActivityMessage } from './activity-feed.js';
import { EventQueue, type EventQueueOptions } from './event-queue.js';
import type { LiveSubscriptions } from './live-subscriptions.js';
import { lastResultMs } from './subscription-limits.js';

/** The scope that a webhook requires, which receives the same events. */
export const eventsScope: Scope = 'api_user';
/** Following events, as far as permissions are concerned. */
const events = { name: 'events', access: 'read', scope: eventsScope } as const;

/** Following activity: the scope of the lists of deliveries, imports and replays, which clients read again. */
const hints = { name: 'activity', access: 'read', scope: 'user' } as const;

/** Memory of the parsed object of a queued item, in addition to its text. */
const overheadBytes = 1024;
/** Messages of activity that wait for a slow client. Those beyond them are dropped: the last one then says that there is more. */
const activityQueueMax = 8;

export interface SubscriberOptions {
  bus: Bus;
  keys: KeyVerifier;
  live: LiveSubscriptions;
  activity: ActivityFeed;
  /** Bytes of events and messages that clients have not read, by workspace. */
  unread: Shares;
  queueMax: number;
}

/** The client of a subscription. */
export interface Subscriber {
  caller: Caller;
  authorization: string | undefined;
  requestId: string;
  traceparent: string;
  /** As in `RequestOrigin`. */
  address: string;
  /** ID of the event that the client received last over an earlier connection. It replaces `after`. */
  lastEventId?: string | undefined;
  /** Closes the connection of a client that does not read. */
  disconnect(): void;
  /** Called with the newest position when the subscription has begun without one to resume after. */
  onBegin?(position: string): void;
  /** Called with the ID of each event before its result is made. */
  onTake?(eventId: string): void;
}

export interface SubscriberEvents extends EventSource {
  /** Ends the subscription: its client reads too slowly. */
  endSlow(): void;
}

/** What the subscriber follows in its workspace, from NATS through bounded queues. */
export function eventsFor(subscriber: Subscriber, options: SubscriberOptions): SubscriberEvents {
  const { bus, activity } = options;
  const { caller, lastEventId, disconnect } = subscriber;
  const { workspaceId } = caller;
  let endSlow = disconnect;
  return {
    endSlow: () => endSlow(),
    follow({ kinds, after }) {
      const selected = new Set<string>(
        kinds && !(kinds as string[]).includes(allKinds) ? kinds : eventKinds,
      );
      const onTake = ({ id }: Event) => subscriber.onTake?.(id);
      const queueOptions = { max: options.queueMax, onTake };
      return begin<Event>(subscriber, options, events, queueOptions, async (queue, end) => {
        endSlow = () => end(tooSlow());
        const resumed = lastEventId ?? after ?? undefined;
        // Before it begins: an event in between is sent when the client resumes.
        const newest =
          resumed === undefined && subscriber.onBegin ? await positionFor(caller, bus) : undefined;
        const stop = await bus.followEvents({
          workspaceId,
          after: resumed,
          onEvent({ id, kind, body }) {
            if (!selected.has(kind)) return;
            const event = shapeOf(id, kind as EventKind, body);
            if (!queue.push(event, Buffer.byteLength(body) + overheadBytes)) endSlow();
          },
          onEnd: end,
        });
        if (newest !== undefined) subscriber.onBegin?.(newest);
        return stop;
      });
    },
    followActivity() {
      const queueOptions = { max: activityQueueMax };
      return begin<Activity>(subscriber, options, hints, queueOptions, async (queue, end) => {
        endSlow = () => end(tooSlow());
        if (!bus.link.up) throw unavailable('NATS is disconnected');
        let last: Activity | undefined;
        const hear = (message: ActivityMessage) => {
          if (queue.isFull) {
            // The last one is still queued.
            last!.more = true;
            return;
          }
          last = activityShape(message);
          if (!queue.push(last, sizeOf(last))) endSlow();
        };
        const stop = await activity.join(workspaceId, hear);
        // What changed before, the client reads from now on.
        hear({ more: true });
        return stop;
      });
    },
  };
}

type Permitted = Parameters<typeof requirePermission>[1];

/**
 * Counts a subscription, and ends it when its key is no longer valid.
 *
 * @param follow fills the queue until the function that it returns is called
 * @throws GraphQLError
 */
async function begin<Item>(
  subscriber: Subscriber,
  { keys, live, unread }: SubscriberOptions,
  permitted: Permitted,
  queueOptions: Pick<EventQueueOptions<Item>, 'max' | 'onTake'>,
  follow: (queue: EventQueue<Item>, end: (fault: Fault) => void) => Promise<() => void>,
): Promise<EventQueue<Item>> {
  const { caller, authorization, requestId, disconnect } = subscriber;
  const release: (() => void)[] = [];
  let closed = false;
  const queue = new EventQueue<Item>({
    ...queueOptions,
    take: (bytes) => unread.tryTake(caller.workspaceId, bytes),
    give: (bytes) => unread.give(caller.workspaceId, bytes),
    onClose() {
      closed = true;
      for (const free of release.splice(0)) free();
    },
  });
  const end = (fault: Fault) => {
    if (!queue.fail(errorOf(fault, requestId))) return;
    live.ended(fault);
    if (closed) return;
    const timer = setTimeout(disconnect, lastResultMs).unref();
    release.push(() => clearTimeout(timer));
  };
  try {
    requirePermission(caller, permitted);
    const recheck = async () => void (await authenticate(keys, authorization, subscriber));
    release.push(live.join({ caller, recheck, end }));
    const stop = await follow(queue, end);
    if (closed) stop();
    else release.push(stop);
    return queue;
  } catch (error) {
    for (const free of release.splice(0)) free();
    throw error instanceof Fault ? errorOf(error, requestId) : error;
  }
}

/**
 * The position of the workspace's newest event, after which a client resumes that has not received an event yet. Undefined if the
 * caller may not follow events.
 *
 * @throws Fault `unavailable`
 */
export async function positionFor(caller: Caller, bus: Bus): Promise<string | undefined> {
  try {
    requirePermission(caller, events);
  } catch {
    return undefined;
  }
  return bus.newestEventId(caller.workspaceId);
}

function shapeOf(id: string, kind: EventKind, body: string): Event {
  const { created_at, data } = JSON.parse(body) as EventBody;
  return eventShape({ id, kind, createdAt: created_at, data });
}

const activityShape = (message: ActivityMessage): Activity => {
  const { deliveries = [], webhooks = [], imports = [], replays = [] } = message;
  const { contactActions = [], more = false } = message;
  return { deliveries, webhooks, imports, replays, contactActions, more };
};

/** About what the changes of a message take as JSON. */
const sizeOf = ({ deliveries, webhooks, imports, replays, contactActions }: Activity): number =>
  overheadBytes +
  256 *
    [deliveries, webhooks, imports, replays, contactActions].reduce(
      (sum, { length }) => sum + length,
      0,
    );

const tooSlow = () =>
  new Fault(
    'rate_limited',
    'The client read events too slowly. Subscribe again after the last event received.',
  );
