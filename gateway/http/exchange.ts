import { type Caller, Fault } from '@roster/contracts';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { Admission } from './admission/admission.js';
import type { AdmissionGroup } from './admission/admission-group.js';
import type { CachedKey } from '../operations/key-verification.js';
import type { UnreadResponses } from './connections/unread-responses.js';
import type { Span } from '@roster/telemetry';
import { makeTraceparent, requestIdOf } from './trace.js';

/** State of one request and its response. */
export interface Exchange {
  admission: Admission;
  unread: UnreadResponses;
  /** Requests with which the request shares slots: those of its workspace, if that is known. */
  group: AdmissionGroup;
  /** Whether the request holds a slot of `admission`. */
  hasSlot: boolean;
  requestId: string;
  traceparent: string;
  tracestate: string | undefined;
  /** Set if the request is traced. */
  span: Span | undefined;
  startedAt: number;
  /** Pattern of the route, because paths contain IDs. */
  route: string;
  operation: string;
  /** Null until the key is verified. */
  caller: Caller | null;
  /** Headers of the response, whether it is a result or an error. */
  headers: OutgoingHttpHeaders;
  /** Whether the response contains a secret. It is not compressed. */
  containsSecret: boolean;
  /** Why the request was refused, unless it was not. */
  fault: Fault | undefined;
  /** Status of the response; 0 until it is sent. */
  status: number;
}

interface Routed {
  /** Parameters of the path. */
  params?: Record<string, string>;
}

export type HttpContext = ParameterizedContext<Exchange, Routed>;

export function openExchange(
  ctx: HttpContext,
  admission: Admission,
  unread: UnreadResponses,
  key: CachedKey | undefined,
): Exchange {
  const { headers } = ctx.req;
  const requestId = requestIdOf(headers['x-request-id']);
  const group = admission.groupOf(key?.workspaceId);
  const exchange: Exchange = {
    admission,
    unread,
    group,
    hasSlot: admission.tryAcquire(group),
    requestId,
    traceparent: makeTraceparent(headers['traceparent']),
    tracestate: undefined,
    span: undefined,
    startedAt: performance.now(),
    route: '',
    operation: 'none',
    caller: key?.caller ?? null,
    containsSecret: false,
    fault: undefined,
    headers: {
      'X-Request-Id': requestId,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      // Also without an origin: a cache must not give such a response to a page.
      Vary: 'Origin, Accept-Encoding',
    },
    status: 0,
  };
  ctx.state = exchange;
  return exchange;
}

/**
 * Queues a request for a slot.
 *
 * @throws Fault `unavailable`
 * @throws ClientGone
 */
export async function waitForSlot({ req, state }: HttpContext): Promise<void> {
  state.hasSlot = await state.admission.acquire(state.group);
  if (isGone(req)) throw new ClientGone();
  if (!state.hasSlot) {
    throw new Fault('unavailable', 'Too many requests are in flight. Try again later.', {
      retryAfterSeconds: 1,
    });
  }
}

/** Returns the slot of a request while it waits for something, and takes one of its workspace afterwards. */
export async function withoutSlot<T>(ctx: HttpContext, waiting: Promise<T>): Promise<T> {
  const { state } = ctx;
  leaveSlot(ctx);
  const value = await waiting;
  state.group = state.admission.groupOf(state.caller?.workspaceId);
  state.hasSlot = state.admission.tryAcquire(state.group);
  if (!state.hasSlot) await waitForSlot(ctx);
  return value;
}

/** Returns the slot of a request, if it holds one. */
export function leaveSlot({ state }: HttpContext): void {
  if (!state.hasSlot) return;
  state.hasSlot = false;
  state.admission.release(state.group);
}

/** The client closed the connection before its request was complete, or while it was queued. */
export class ClientGone extends Error {}

/**
 * Whether the client closed the connection, or its direction of it: that looks the same until something is written. A client that
 * closes its direction and reads on is answered, unless its request had to wait.
 */
export const isGone = ({ socket }: IncomingMessage): boolean =>
  socket.destroyed || socket.readableEnded;
