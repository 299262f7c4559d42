import { steadyNow } from '@roster/bus';
import { entityTag, requirePermission, type FieldError } from '@roster/contracts';
import { clientAddress } from '../http/connections/client-address.js';
import { authenticateRequest } from '../http/callers/authenticate.js';
import { limitRate, setRateHeaders } from '../http/callers/limit-rate.js';
import { isGone } from '../http/exchange/client-gone.js';
import { readIfMatch, readIfNoneMatch } from '../http/response/conditions.js';
import type { HttpContext } from '../http/exchange/exchange.js';
import type { Route } from '../http/routing/routes.js';
import { leaveSlot } from '../http/exchange/slot.js';
import { sendCompressed, sendTagged } from '../http/response/send-compressed.js';
import { readIdempotencyKey } from '../operations/idempotency-key.js';
import type { RequestContext } from '../operations/operation-client.js';
import { fileSender } from './file-senders.js';
import { importReceiver } from './imports/receive-import.js';
import { locationOf } from './location.js';
import { pageLinksOf } from './page-links.js';
import { inputReader } from './read-input.js';
import { methodsOf, type RestOperation } from './rest-operations.js';
import type { RestOptions } from './rest-options.js';
import { statusReader } from './success-status.js';

/** Media type of results. */
export const json = 'application/json; charset=utf-8';

/** The route of an operation: authenticates, checks rate and scope, reads the input, and sends the bytes of the service. */
export function answerOperation(operation: RestOperation, options: RestOptions): Route {
  const { client, rateLimiter } = options;
  const { name, access, faults, http, containsSecret = false } = operation;
  const { path, status, etag, untaggedWith } = http;
  const readInput = inputReader(operation);
  const findLocation = status === 201 || http.upload ? locationOf(operation) : undefined;
  const linksOf = pageLinksOf(operation);
  const statusOf = statusReader(http);
  const isWrite = access === 'write';
  const sendFile = fileSender(operation, options);
  const receiveImport = http.upload && importReceiver(operation, options);
  const isConditional = faults.includes('precondition_failed');

  return {
    methods: methodsOf(operation),
    path,
    operation: name,
    async answer(ctx) {
      const { state, req } = ctx;
      const authenticated = authenticateRequest(ctx, options);
      const caller = authenticated instanceof Promise ? await authenticated : authenticated;
      limitRate(rateLimiter, caller, state.headers);
      requirePermission(caller, operation);
      state.unread.checkShare(caller.workspaceId);
      const idempotencyKey = isWrite
        ? readIdempotencyKey(req.headers['idempotency-key'])
        : undefined;
      const ifMatch = readIfMatch(req.headers['if-match'], isConditional);
      const ifNoneMatch = readIfNoneMatch(req.headers['if-none-match'], !isWrite);
      const errors: FieldError[] = [];
      const input = await readInput(ctx, errors);
      const context = {
        ...contextOf(ctx, operation, options),
        caller,
        ...(idempotencyKey && {
          idempotencyKey,
          onReplayed: () => {
            state.headers['Idempotency-Replayed'] = 'true';
          },
        }),
        ...(ifMatch && { ifMatch }),
      };
      const result = receiveImport
        ? await receiveImport(ctx, input, errors, context)
        : await client.callRaw(operation, input, errors, context);
      if (sendFile) return sendFile(ctx, caller, input, result);
      const successStatus = statusOf(input, result);
      const location = successStatus === status ? findLocation?.(result) : undefined;
      if (location !== undefined) state.headers['Location'] = location;
      const links = linksOf?.(req.url!, result);
      if (links !== undefined) state.headers['Link'] = links;
      state.containsSecret = containsSecret;
      const isTagged = etag && (untaggedWith === undefined || !(untaggedWith in input));
      if (!isTagged) return sendCompressed(ctx, successStatus, json, result);
      return sendTagged(ctx, entityTag(operation, result), ifNoneMatch, json, result);
    },
  };
}

/** The fields of a call that do not depend on its caller and conditions. */
function contextOf(
  ctx: HttpContext,
  { audited, bulk }: RestOperation,
  { timeoutMs, proxies }: RestOptions,
): Omit<RequestContext, 'caller'> {
  const { state, req, res } = ctx;
  const { requestId, traceparent, headers } = state;
  return {
    requestId,
    traceparent,
    deadline: steadyNow() + timeoutMs,
    isAbandoned() {
      return isGone(req);
    },
    large: {
      reader: res,
      onWait() {
        leaveSlot(ctx);
      },
    },
    ...(bulk && { onCharged: (states) => setRateHeaders(headers, states) }),
    ...(audited && { address: clientAddress(proxies, req) }),
  };
}
