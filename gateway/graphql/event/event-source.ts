import type { EventKind } from '@roster/contracts';
import type { Event } from './event.js';

/** Where a subscription's events come from. */
export interface EventSource {
  /** @throws GraphQLError when they cannot be followed, or no further */
  follow(asked: {
    kinds?: readonly EventKind[] | null;
    after?: string | null;
  }): AsyncIterableIterator<Event> | Promise<AsyncIterableIterator<Event>>;
}
