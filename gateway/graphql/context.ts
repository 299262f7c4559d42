import type { Caller } from '@roster/contracts';
import type { RequestBudget } from './request/request-budget.js';
import type { RequestOperations } from './request/request-operations.js';
import type { EventSource } from './resources/event/event-source.js';

/** Context of every resolver. */
export interface GraphqlContext {
  operations: RequestOperations;
  budget: RequestBudget;
  caller: Caller;
  requestId: string;
  events: EventSource;
}
