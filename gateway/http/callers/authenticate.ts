import { Fault, type Caller } from '@roster/contracts';
import type { CachedKey, RequestOrigin } from '../../operations/key-verification.js';
import type { KeyVerifier } from '../../operations/key-verifier.js';
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { AllowedOrigins } from './allowed-origins.js';
import { ClientGone, type HttpContext, withoutSlot } from '../exchange.js';
import type { FailedLookUps } from './failed-look-ups.js';
import { clientAddress, type TrustedProxies } from '../connections/trusted-proxies.js';

const bearer = /^bearer +([^ ]+) *$/i;

/** The credential of an `Authorization` header. */
export const bearerIn = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : bearer.exec(authorization)?.[1];

/** The key that a connection sent last, which most send with each request. The digest is made once. */
const lastKeys = new WeakMap<Socket, { authorization: Buffer; cached: CachedKey }>();

/** The key of a request as cached: its caller, if it need not be verified again, and its workspace. */
export function cachedKey(
  keys: KeyVerifier,
  socket: Socket,
  authorization: string | undefined,
): CachedKey | undefined {
  if (authorization === undefined) return undefined;
  const sent = Buffer.from(authorization, 'latin1');
  const last = lastKeys.get(socket);
  // In constant time, because a proxy may send the requests of several clients over one connection.
  if (
    last?.authorization.length === sent.length &&
    timingSafeEqual(last.authorization, sent) &&
    keys.isCurrent(last.cached)
  )
    return last.cached;
  const key = bearerIn(authorization);
  const cached = key === undefined ? undefined : keys.cached(key);
  if (cached && keys.isCurrent(cached)) lastKeys.set(socket, { authorization: sent, cached });
  return cached;
}

/** What authenticates clients. */
export interface Authentication {
  keys: KeyVerifier;
  failures: FailedLookUps;
  proxies: TrustedProxies;
  origins: AllowedOrigins;
}

/**
 * The caller of a request, which from then on holds a slot of its workspace. Synchronous for a cached key, unless a page sent the
 * request whose origin is not known to be allowed. The request holds no slot while its key is looked up.
 *
 * @throws Fault as `authenticateClient` does, and `unavailable` if the workspace has no slot or too many keys are looked up
 */
export function authenticateRequest(
  ctx: HttpContext,
  authentication: Authentication,
): Caller | Promise<Caller> {
  // A cached caller, whose origins are exposed already.
  if (ctx.state.caller) return ctx.state.caller;
  return authentication.origins.isUnexposed(ctx)
    ? ofPage(ctx, authentication)
    : callerOf(ctx, authentication);
}

/** The caller of a page, which may read the response if the caller's workspace allows it, and why it is refused if any does. */
async function ofPage(ctx: HttpContext, authentication: Authentication): Promise<Caller> {
  const { origins } = authentication;
  try {
    const caller = await callerOf(ctx, authentication);
    origins.expose(ctx);
    return caller;
  } catch (error) {
    if (!(error instanceof ClientGone)) await origins.exposeRefusal(ctx);
    throw error;
  }
}

function callerOf(ctx: HttpContext, authentication: Authentication): Caller | Promise<Caller> {
  const { state, req } = ctx;
  const found = authenticateClient(authentication, req, req.headers.authorization, state);
  if (found instanceof Promise) return lookedUp(ctx, found);
  state.caller = found;
  const holdsOwnSlot = state.group === state.admission.groupOf(found.workspaceId);
  // Otherwise the key was verified for another request, while this one was queued.
  return holdsOwnSlot ? found : withoutSlot(ctx, Promise.resolve(found));
}

async function lookedUp(ctx: HttpContext, lookUp: Promise<Caller>): Promise<Caller> {
  const { state } = ctx;
  const { group } = state;
  if (group.lookUps >= group.queuedMax) {
    lookUp.catch(() => {});
    throw new Fault('unavailable', 'Too many API keys are being verified. Try again later.', {
      retryAfterSeconds: 1,
    });
  }
  group.lookUps += 1;
  const found = lookUp.then((caller) => (state.caller = caller));
  return withoutSlot(
    ctx,
    found.finally(() => (group.lookUps -= 1)),
  );
}

/**
 * The caller that sent a request. A key or token that was verified lately works even if many authentications from the client's
 * address have failed. Others are then refused before anything is verified.
 *
 * @throws Fault as `authenticate` does; `rate_limited`
 */
export function authenticateClient(
  { keys, failures, proxies }: Omit<Authentication, 'origins'>,
  request: IncomingMessage,
  authorization: string | undefined,
  { requestId, traceparent, tracestate }: Omit<RequestOrigin, 'address'>,
): Caller | Promise<Caller> {
  const address = clientAddress(proxies, request);
  const find = () =>
    authenticate(keys, authorization, { requestId, traceparent, tracestate, address });
  const isUnguarded =
    bearerIn(authorization) === undefined || cachedKey(keys, request.socket, authorization);
  return isUnguarded ? find() : failures.guard(request, find);
}

/**
 * The caller that an `Authorization` header identifies. Synchronous for a cached key.
 *
 * @throws Fault `unauthenticated`; InvalidKey if a key was sent; faults of the bus
 */
export function authenticate(
  keys: KeyVerifier,
  authorization: string | undefined,
  origin: RequestOrigin,
): Caller | Promise<Caller> {
  const key = bearerIn(authorization);
  if (key === undefined)
    throw new Fault('unauthenticated', 'Send an API key as "Authorization: Bearer rsk_…".');
  return keys.verify(key, origin);
}
