import { steadyNow } from '@roster/bus';
import {
  type FieldError,
  type HttpBinding,
  isAudited,
  requirePermission,
  resources,
} from '@roster/contracts';
import { clientAddress } from '../http/connections/trusted-proxies.js';
import { authenticateRequest } from '../http/callers/authenticate.js';
import { limitRate, setRateHeaders } from '../http/callers/limit-rate.js';
import { type HttpContext, isGone } from '../http/exchange.js';
import { readIfMatch, readIfNoneMatch } from '../http/response/conditions.js';
import type { Route } from '../http/routes.js';
import { sendCompressed, sendTagged } from '../http/response/send-compressed.js';
import { readIdempotencyKey } from '../operations/check-input.js';
import type { RequestContext } from '../operations/operation-client.js';
import { previewReceiver } from './imports/preview-import.js';
import { importReceiver, type ReceiveFile } from './imports/receive-import.js';
import { pageLinksOf } from './page-links.js';
import { inputReader } from './read-input.js';
import { methodsOf, type RestOperation, restOperations } from './rest-operations.js';
import { resultTagOf } from './result-tag.js';
import type { RestOptions, SendFile } from './rest-options.js';
import { exportSender } from './exports/send-export.js';
import { rowErrorsSender } from './imports/send-row-errors.js';
import type { z } from 'zod';

/** Media type of results. */
export const json = 'application/json; charset=utf-8';

/** The input of a request, without validating it. Errors that it would not show are added to `errors`. */
type ReadInput = (ctx: HttpContext, errors: FieldError[]) => Promise<Record<string, unknown>>;

export interface OperationRoute extends Route {
  /** Answers a request whose input is read in another way. */
  answerWith(ctx: HttpContext, readInput: ReadInput): Promise<void>;
}

/** The route of an operation: authenticates, checks rate and scope, reads the input, and sends the bytes of the service. */
export function answerOperation(operation: RestOperation, options: RestOptions): OperationRoute {
  const { client, rateLimiter } = options;
  const { name, access, faults, http, containsSecret = false } = operation;
  const { path, status, untaggedWith } = http;
  const readRequest = inputReader(operation);
  const findLocation = status === 201 || status === 202 ? locationOf(operation) : undefined;
  const linksOf = pageLinksOf(operation);
  const statusOf = statusReader(http);
  const tagOf = resultTagOf(operation);
  const isWrite = access === 'write';
  const sendFile = fileSender(operation, options);
  const receiveFile = http.upload && receivers[name]!(operation, options);
  const isConditional = faults.includes('precondition_failed');

  return {
    methods: methodsOf(operation),
    path,
    operation: name,
    answer(ctx) {
      return this.answerWith(ctx, readRequest);
    },
    async answerWith(ctx, readInput) {
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
        ...contextOf(ctx, operation, options, input),
        caller,
        ...(idempotencyKey && {
          idempotencyKey,
          onReplayed: () => {
            state.headers['Idempotency-Replayed'] = 'true';
          },
        }),
        ...(ifMatch && { ifMatch }),
      };
      const result = receiveFile
        ? await receiveFile(ctx, input, errors, context)
        : await client.callRaw(operation, input, errors, context);
      if (sendFile) return sendFile(ctx, caller, input, result);
      const successStatus = statusOf(input, result);
      const location = successStatus === status ? findLocation?.(result) : undefined;
      if (location !== undefined) state.headers['Location'] = location;
      const links = linksOf?.(req.url!, result);
      if (links !== undefined) state.headers['Link'] = links;
      state.containsSecret = containsSecret;
      if (!tagOf || (untaggedWith !== undefined && untaggedWith in input))
        return sendCompressed(ctx, successStatus, json, result);
      return sendTagged(ctx, successStatus, tagOf(result), ifNoneMatch, json, result);
    },
  };
}

/** The fields of a call that do not depend on its caller and conditions. */
function contextOf(
  ctx: HttpContext,
  operation: RestOperation,
  { timeoutMs, proxies }: RestOptions,
  input: object,
): Omit<RequestContext, 'caller'> {
  const { state, req } = ctx;
  const { requestId, traceparent, tracestate, headers } = state;
  return {
    requestId,
    traceparent,
    tracestate,
    deadline: steadyNow() + timeoutMs,
    isAbandoned() {
      return isGone(req);
    },
    ...(operation.bulk && { onCharged: (states) => setRateHeaders(headers, states) }),
    ...(isAudited(operation, input) && { address: clientAddress(proxies, req) }),
  };
}

const receivers: Record<string, (operation: RestOperation, options: RestOptions) => ReceiveFile> = {
  'imports.create': importReceiver,
  'imports.preview': previewReceiver,
};

const senders: Record<string, (options: RestOptions) => SendFile> = {
  'contacts.export': exportSender,
  'imports.list-errors': rowErrorsSender,
};

/** Sends the file that an operation answers, if it answers one. */
export const fileSender = (
  { name, http }: RestOperation,
  options: RestOptions,
): SendFile | undefined => (http.file ? senders[name]!(options) : undefined);

const opening = '"id":"';

/**
 * Returns a function that finds the path of the created resource in a result, or undefined for resources without a path.
 *
 * The ID is searched in the bytes instead of parsing them: it is the first `"id"` of every resource.
 */
export function locationOf(
  create: RestOperation,
): ((result: Uint8Array) => string | undefined) | undefined {
  const { createdIn = create.http.path } = create.http;
  const one = restOperations.find(({ http, resource }) => {
    return resource && http.path === `${createdIn}/{${resources[resource].idField}}`;
  });
  if (!one?.resource) return undefined;
  const idSchema = one.input.shape[resources[one.resource].idField] as z.ZodType;
  return (result) => {
    const bytes = Buffer.from(result.buffer, result.byteOffset, result.byteLength);
    const start = bytes.indexOf(opening) + opening.length;
    const id = bytes.toString('latin1', start, bytes.indexOf('"', start));
    return start >= opening.length && idSchema.safeParse(id).success
      ? `${createdIn}/${id}`
      : undefined;
  };
}

/** Returns a function that determines the status of a successful response. */
export function statusReader({ status, statusWhen, statusUnless }: HttpBinding) {
  // Compared as bytes, which are not parsed.
  const start = statusUnless && Buffer.from(`{"${statusUnless.field}":true`);
  return (input: Record<string, unknown>, result: Uint8Array): number => {
    if (statusWhen && input[statusWhen.field] === true) return statusWhen.status;
    if (start && !start.equals(result.subarray(0, start.length))) return statusUnless.status;
    return status;
  };
}
