import type { Caller } from '@roster/contracts';
import type { OperationClient, RequestContext } from '../operations/operation-client.js';
import type { NextSlice } from '../operations/work-turns.js';
import { RequestBudget } from './request/request-budget.js';
import { RequestOperations } from './request/request-operations.js';
import type { EventSource } from './resources/event/event-source.js';

/** Context of every resolver. */
export interface GraphqlContext {
  operations: RequestOperations;
  budget: RequestBudget;
  nextSlice: NextSlice;
  caller: Caller;
  requestId: string;
  events: EventSource;
}

/** The context of one request. */
export function makeContext(
  client: OperationClient,
  request: RequestContext,
  events: EventSource,
): GraphqlContext {
  const budget = new RequestBudget();
  const { caller, requestId } = request;
  const nextSlice = client.turns.begin(caller.workspaceId);
  return {
    operations: new RequestOperations(client, request, budget, nextSlice),
    budget,
    nextSlice,
    caller,
    requestId,
    events,
  };
}
