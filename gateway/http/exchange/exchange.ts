import type { Caller, Fault } from '@roster/contracts';
import type { OutgoingHttpHeaders } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { Admission } from '../admission/admission.js';
import type { AdmissionGroup } from '../admission/admission-group.js';
import type { CachedKey } from '../../operations/key-verification.js';
import type { UnreadResponses } from '../connections/unread-responses.js';
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
