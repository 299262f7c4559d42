import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What the HTTP side tells about its work. */
export interface HttpObserver {
  /** Tells how many requests are in work. */
  inFlight: () => number;
  answered(operation: string, status: number, seconds: number): void;
}

/** Rate, errors and duration of requests by operation; the operation of unknown paths is `none`. */
export function observeHttp(registry: Registry): HttpObserver {
  const requests = new Counter({
    name: 'roster_http_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'roster_http_request_duration_seconds',
    help: 'From the head of a request to its answer being handed to the socket.',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const observer: HttpObserver = {
    inFlight: () => 0,
    answered(operation, status, seconds) {
      requests.inc({ operation, status });
      duration.observe({ operation }, seconds);
    },
  };
  new Gauge({
    name: 'roster_http_requests_in_flight',
    help: 'Requests in work.',
    registers: [registry],
    collect() {
      this.set(observer.inFlight());
    },
  });
  return observer;
}
