import type { EventKind } from '@roster/contracts';
import type { Event } from './event.js';

/** Source of the events of a subscription. */
export interface EventSource {
  /** @throws GraphQLError if events cannot be followed; the iterator throws it if they can no longer be */
  follow(filter: {
    kinds?: readonly EventKind[] | null;
    after?: string | null;
  }): AsyncIterableIterator<Event> | Promise<AsyncIterableIterator<Event>>;
}
