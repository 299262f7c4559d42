import type { Caller } from '@roster/contracts';
import type { RequestOperations } from './request-operations.js';
import type { EventSource } from './resources/event/event-source.js';

/** Context of every resolver. */
export interface GraphqlContext {
  operations: RequestOperations;
  caller: Caller;
  requestId: string;
  events: EventSource;
}
