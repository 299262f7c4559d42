import type { Bus } from '@roster/bus';
import {
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
import { eventShape, type Event } from '../resources/event.js';
import type { Shares } from '../../http/shares.js';
import { errorOf } from '../errors.js';
import { EventQueue } from './event-queue.js';
import type { LiveSubscriptions } from './live-subscriptions.js';
import { lastResultMs } from './subscription-limits.js';

/** The scope that a webhook requires, which receives the same events. */
export const eventsScope: Scope = 'api_user';
/** Following events, as far as permissions are concerned. */
const events = { name: 'events', access: 'read', scope: eventsScope } as const;

/** Memory of the parsed object of a queued event, in addition to its body. */
const eventOverheadBytes = 1024;

export interface SubscriberOptions {
  bus: Bus;
  keys: KeyVerifier;
  live: LiveSubscriptions;
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

/** The events of the subscriber's workspace, from NATS through a bounded queue. */
export function eventsFor(subscriber: Subscriber, options: SubscriberOptions): SubscriberEvents {
  const { bus, keys, live, unread, queueMax } = options;
  const { caller, authorization, requestId, lastEventId, disconnect } = subscriber;
  let endSlow = disconnect;
  return {
    endSlow: () => endSlow(),
    async follow({ kinds, after }) {
      const selected = new Set<string>(kinds ?? eventKinds);
      const release: (() => void)[] = [];
      let closed = false;
      const queue = new EventQueue<Event>({
        max: queueMax,
        take: (bytes) => unread.tryTake(caller.workspaceId, bytes),
        give: (bytes) => unread.give(caller.workspaceId, bytes),
        onTake: ({ id }) => subscriber.onTake?.(id),
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
      endSlow = () => end(tooSlow());
      try {
        requirePermission(caller, events);
        const recheck = async () => void (await authenticate(keys, authorization, subscriber));
        release.push(live.join({ caller, recheck, end }));
        const resumed = lastEventId ?? after ?? undefined;
        // Before it begins: an event in between is sent when the client resumes.
        const newest =
          resumed === undefined && subscriber.onBegin ? await positionFor(caller, bus) : undefined;
        const stop = await bus.followEvents({
          workspaceId: caller.workspaceId,
          after: resumed,
          onEvent({ id, kind, body }) {
            if (!selected.has(kind)) return;
            const event = shapeOf(id, kind as EventKind, body);
            if (!queue.push(event, Buffer.byteLength(body) + eventOverheadBytes)) endSlow();
          },
          onEnd: end,
        });
        if (newest !== undefined) subscriber.onBegin?.(newest);
        if (closed) stop();
        else release.push(stop);
        return queue;
      } catch (error) {
        for (const free of release.splice(0)) free();
        throw error instanceof Fault ? errorOf(error, requestId) : error;
      }
    },
  };
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

const tooSlow = () =>
  new Fault(
    'rate_limited',
    'The client read events too slowly. Subscribe again after the last event received.',
  );
