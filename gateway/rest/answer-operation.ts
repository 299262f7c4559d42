import type { Bus } from '@roster/bus';
import type { Fault, OperationName } from '@roster/contracts';
import type { RouterMiddleware } from '@koa/router';
import type { Authenticator } from '../http/authenticate.js';
import type { Exchange } from '../http/exchange.js';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import type { RateLimiter } from '../http/rate-limit.js';
import { send } from '../http/send.js';
import { locationOf } from './location.js';
import { missingResource } from './missing-resource.js';
import { inputReader } from './read-input.js';
import type { RestOperation } from './rest-operations.js';

export interface RestOptions {
  bus: Bus;
  authenticator: Authenticator;
  rateLimiter: RateLimiter;
  /** How long the service may take. */
  timeoutMs: number;
  bodyBytesMax: number;
}

/** Answers one operation: who asks, may they, what do they ask; then the service's own bytes. */
export function answerOperation(
  operation: RestOperation,
  options: RestOptions,
): RouterMiddleware<Exchange> {
  const { bus, authenticator, rateLimiter, timeoutMs, bodyBytesMax } = options;
  const { path, scope, status, statusWhen } = operation.http;
  const name = operation.name as OperationName;
  const readInput = inputReader(operation, bodyBytesMax);
  const findLocation = status === 201 ? locationOf(operation) : undefined;
  const isWrite = operation.access === 'write';
  const missing = missingResource(operation.http);
  const sayMissing = (fault: Fault) => {
    throw fault.code === 'not_found' ? missing : fault;
  };

  return async (ctx) => {
    const { state, req } = ctx;
    state.route = path;
    state.operation = name;
    const asking = authenticator.authenticate(req.headers.authorization, state);
    const caller = asking instanceof Promise ? await asking : asking;
    state.caller = caller;
    authenticator.requireScope(caller, scope);
    rateLimiter.take(caller.keyId, state.headers);
    const idempotencyKey = isWrite ? readIdempotencyKey(req.headers['idempotency-key']) : undefined;
    const input = await readInput(ctx);
    if (input === undefined) throw missing;
    const { requestId, traceparent } = state;
    const deadline = Date.now() + timeoutMs;
    const context = {
      caller,
      requestId,
      traceparent,
      deadline,
      ...(idempotencyKey && { idempotencyKey }),
    };
    const result = await bus.call(name, input as never, context).catch(sayMissing);
    const location = findLocation?.(result);
    if (location !== undefined) state.headers['Location'] = location;
    const isOther = statusWhen && (input as Record<string, unknown>)[statusWhen.field] === true;
    send(ctx, isOther ? statusWhen.status : status, 'application/json; charset=utf-8', result);
  };
}
