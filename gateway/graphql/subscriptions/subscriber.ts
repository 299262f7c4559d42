import type { Bus } from '@roster/bus';
import {
  eventKinds,
  Fault,
  type Caller,
  type EventBody,
  type EventKind,
  type Scope,
} from '@roster/contracts';
import { authenticate } from '../../http/exchange/authenticate.js';
import type { KeyVerifier } from '../../operations/key-verifier.js';
import { requireScope } from '../../operations/operation-client.js';
import type { Event } from '../event/event.js';
import type { EventSource } from '../event/event-source.js';
import { errorOf } from '../errors.js';
import { EventQueue } from './event-queue.js';
import type { LiveSubscriptions } from './live-subscriptions.js';

/** As for making a webhook, which would be told the same. */
export const eventsScope: Scope = 'api_user';

/** How long a subscriber may take to read why it was cut off. */
const lastWordsMs = 5000;

export interface SubscriberOptions {
  bus: Bus;
  keys: KeyVerifier;
  live: LiveSubscriptions;
  queueMax: number;
}

/** The other end of one subscription. */
export interface Subscriber {
  caller: Caller;
  authorization: string | undefined;
  requestId: string;
  traceparent: string;
  /** Breaks the connection of one that does not read. */
  cutOff(): void;
}

/** The events of a subscriber's workspace, from NATS through a bounded queue. */
export function eventsFor(subscriber: Subscriber, options: SubscriberOptions): EventSource {
  const { bus, keys, live, queueMax } = options;
  const { caller, authorization, requestId, cutOff } = subscriber;
  return {
    async follow({ kinds, after }) {
      const wanted = new Set<string>(kinds ?? eventKinds);
      const release: (() => void)[] = [];
      let closed = false;
      const queue = new EventQueue<Event>(queueMax, () => {
        closed = true;
        for (const give of release.splice(0)) give();
      });
      const end = (fault: Fault) => {
        if (!queue.fail(errorOf(fault, requestId))) return;
        live.ended(fault);
        if (closed) return;
        const timer = setTimeout(cutOff, lastWordsMs).unref();
        release.push(() => clearTimeout(timer));
      };
      try {
        requireScope(caller, eventsScope);
        const recheck = async () => void (await authenticate(keys, authorization, subscriber));
        release.push(live.join({ caller, recheck, end }));
        const stop = await bus.followEvents({
          workspaceId: caller.workspaceId,
          after: after ?? undefined,
          onEvent({ id, kind, body }) {
            if (wanted.has(kind) && !queue.push(shapeOf(id, kind as EventKind, body)))
              end(tooSlow());
          },
          onEnd: end,
        });
        if (closed) stop();
        else release.push(stop);
        return queue;
      } catch (error) {
        for (const give of release.splice(0)) give();
        throw error instanceof Fault ? errorOf(error, requestId) : error;
      }
    },
  };
}

function shapeOf(id: string, kind: EventKind, body: Uint8Array): Event {
  const { created_at, data } = JSON.parse(Buffer.from(body).toString('utf8')) as EventBody;
  return { id, kind, createdAt: created_at, ...data };
}

const tooSlow = () =>
  new Fault(
    'rate_limited',
    'The client read events too slowly. Subscribe again after the last event received.',
  );
