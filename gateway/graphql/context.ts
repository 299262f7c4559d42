import { steadyNow } from '@roster/bus';
import { isSampled, traceIdOf, tracer, unsampled } from '@roster/telemetry';
import type { Caller, EventKind } from '@roster/contracts';
import type { OperationClient, RequestContext } from '../operations/operation-client.js';
import { refused } from './errors.js';
import { RequestBudget } from './request/request-budget.js';
import { RequestOperations } from './request/request-operations.js';

/** Context of every resolver. */
export interface GraphqlContext {
  operations: RequestOperations;
  budget: RequestBudget;
  caller: Caller;
  requestId: string;
  /** Of a request that is traced. */
  traceId: string | undefined;
  events: EventSource;
  /** Called for each event of a subscription: the calls for it have a deadline and a budget of their own. */
  renew(): void;
}

/** The context of one request. */
export function makeContext(
  client: OperationClient,
  request: RequestContext,
  events: EventSource,
): GraphqlContext {
  const { caller, requestId, traceparent, deadline } = request;
  const timeoutMs = deadline - steadyNow();
  const isTraced = tracer !== undefined && isSampled(traceparent);
  const callsUntil = (until: number, trace = {}) => {
    const budget = new RequestBudget();
    const within = { ...request, ...trace, deadline: until };
    return { budget, operations: new RequestOperations(client, within, budget) };
  };
  const context: GraphqlContext = {
    ...callsUntil(deadline),
    caller,
    requestId,
    traceId: isTraced ? traceIdOf(traceparent) : undefined,
    events,
    // A subscription may last for days: its trace ends with its beginning.
    renew: () => {
      const trace = isTraced ? { traceparent: unsampled(traceparent) } : {};
      Object.assign(context, callsUntil(steadyNow() + timeoutMs, trace));
    },
  };
  return context;
}

/** Source of the events of a subscription. */
export interface EventSource {
  /** @throws GraphQLError if events cannot be followed; the iterator throws it if they can no longer be */
  follow(filter: {
    kinds?: readonly EventKind[] | null;
    after?: string | null;
  }): AsyncIterableIterator<object> | Promise<AsyncIterableIterator<object>>;
  /** As `follow`, hints at what changed. */
  followActivity(): AsyncIterableIterator<object> | Promise<AsyncIterableIterator<object>>;
}

/** For transports with a single response. */
export const noEvents: EventSource = { follow: needsTransport, followActivity: needsTransport };

function needsTransport(): never {
  throw refused(
    'use_subscription_transport',
    'Subscriptions require SSE ("Accept: text/event-stream") or WebSocket.',
  );
}
