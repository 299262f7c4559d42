import type { Caller } from '@roster/contracts';
import type { RequestOperations } from './request-operations.js';
import type { EventSource } from './event/event-source.js';

/** What every resolver gets. */
export interface GraphqlContext {
  operations: RequestOperations;
  caller: Caller;
  requestId: string;
  events: EventSource;
}
