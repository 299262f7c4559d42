import { type Operation, operations } from '@roster/contracts';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Admission } from './admission/admission.js';
import type { ConnectionRefusal, Connections } from './connections/connections.js';
import type { UnreadReason, UnreadResponses } from './connections/unread-responses.js';
import { countByOperation, type FlatLog, histogramByOperation } from '@roster/process';
import { traceIdOf } from '@roster/telemetry';
import type { HttpContext } from './exchange.js';

/** Receives the measurements of the HTTP server. */
export interface HttpObserver {
  /** Registers the gauges of the requests in flight and queued, and of the responses that are not read. */
  watch(admission: AdmissionLoad, unread: Pick<UnreadResponses, 'bytes'>): void;
  /** Registers the gauges of the open connections. */
  watchConnections(connections: Pick<Connections, 'count' | 'max'>): void;
  connectionEnded(reason: ConnectionEnd): void;
  answered(operation: string, status: number, seconds: number): void;
  exportEnded(outcome: ExportOutcome): void;
}

/** Why the server closed or refused a connection. */
type ConnectionEnd = ConnectionRefusal | UnreadReason | 'idle' | 'pipelining';

/** How an export ended: `limited` by its maximum duration or a client that reads too slowly. */
export type ExportOutcome = 'completed' | 'abandoned' | 'limited' | 'failed';

type AdmissionLoad = Pick<
  Admission,
  'inFlight' | 'inFlightMax' | 'queued' | 'bodies' | 'anonymousBodies'
>;

/** Rate, errors and duration of requests by operation; the operation of unknown paths is `none`. */
export function observeHttp(registry: Registry): HttpObserver {
  const requests = countByOperation(registry, {
    name: 'roster_http_requests_total',
    help: 'Requests answered, by operation and status.',
    label: 'status',
  });
  const duration = histogramByOperation(registry, {
    name: 'roster_http_request_duration_seconds',
    help: 'Time from receiving the request headers to writing the response to the socket.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const ended = new Counter({
    name: 'roster_http_connections_ended_total',
    help: 'Connections that the gateway refused or closed to bound its memory, by reason.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const exported = new Counter({
    name: 'roster_http_exports_ended_total',
    help: 'Exports that had begun, by how they ended. Their requests are counted as answered when they begin.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  observeClasses(registry);
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  return {
    watch(admission, unread) {
      observeAdmission(gauge, admission);
      gauge(
        'roster_http_unread_bytes',
        'Memory of responses that their clients have not read yet.',
        () => unread.bytes,
      );
    },
    watchConnections(connections) {
      gauge('roster_http_connections', 'Open connections.', () => connections.count);
      gauge(
        'roster_http_connections_max',
        'Maximum number of open connections.',
        () => connections.max,
      );
    },
    connectionEnded: (reason) => ended.inc({ reason }),
    exportEnded: (outcome) => exported.inc({ outcome }),
    answered(operation, status, seconds) {
      requests(operation, status);
      duration(operation, seconds);
    },
  };
}

/** A separate metric that rules join to the others, instead of a further label on every request. */
function observeClasses(registry: Registry): void {
  const info = new Gauge({
    name: 'roster_operation_info',
    help: 'Always 1: the class of each operation (read, write, graphql or subscription).',
    labelNames: ['operation', 'class'],
    registers: [registry],
  });
  for (const { name, access, http } of Object.values<Operation>(operations)) {
    if (http) info.set({ operation: name, class: access }, 1);
  }
  info.set({ operation: 'graphql', class: 'graphql' }, 1);
  info.set({ operation: 'graphql.subscribe', class: 'subscription' }, 1);
}

function observeAdmission(
  gauge: (name: string, help: string, value: () => number) => void,
  admission: AdmissionLoad,
): void {
  gauge('roster_http_requests_in_flight', 'Requests in flight.', () => admission.inFlight);
  gauge(
    'roster_http_requests_in_flight_max',
    'Maximum number of requests in flight.',
    () => admission.inFlightMax,
  );
  gauge('roster_http_requests_waiting', 'Requests waiting for a slot.', () => admission.queued);
  gauge(
    'roster_http_bodies_in_transit',
    'Requests whose bodies are not complete yet. They hold no slot.',
    () => admission.bodies.count + admission.anonymousBodies.count,
  );
}

/**
 * Logs one line per request. Each field is listed: paths with IDs, queries, bodies and headers are never logged, except the origin
 * of a page that cannot read the response.
 *
 * @param unexposed why the page that sent the request cannot read the response
 */
export function logAccess(
  log: FlatLog,
  ctx: HttpContext,
  seconds: number,
  unexposed: string | undefined,
): void {
  const { route, operation, status, requestId, traceparent, caller, fault } = ctx.state;
  log({
    method: ctx.method,
    route,
    operation,
    status,
    ms: Math.round(seconds * 1e5) / 100,
    requestId,
    traceId: traceIdOf(traceparent),
    workspaceId: caller?.workspaceId,
    keyId: caller?.keyId,
    code: fault?.code,
    // A failure says nothing about the origin, which was perhaps not looked up.
    reason: fault?.reason ?? (status < 500 ? unexposed : undefined),
    msg: 'request',
  });
}
