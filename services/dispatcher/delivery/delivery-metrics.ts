import { timeOfId } from '@roster/contracts';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Attempt } from '../attempt/attempt.js';
import { tunnelOutcomes, type TunnelOutcome } from '../attempt/egress-proxy.js';
import type { Delivery, DeliveryStatus } from './delivery.js';

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

/** Metrics of attempts and deliveries. */
export class DeliveryMetrics {
  readonly #attempts: Counter;
  readonly #finished: Counter;
  readonly #duration: Histogram;
  readonly #lag: Histogram;
  readonly #tunnels: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#attempts = new Counter({
      name: 'roster_delivery_attempts_total',
      help: 'Attempts, by outcome: ok or the error class.',
      labelNames: ['outcome', 'trigger'],
      registers,
    });
    this.#finished = new Counter({
      name: 'roster_deliveries_finished_total',
      help: 'Deliveries finished, by status.',
      labelNames: ['status'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'roster_delivery_attempt_duration_seconds',
      help: 'Duration of an attempt, from name resolution to the end of the response.',
      buckets,
      registers,
    });
    this.#lag = new Histogram({
      name: 'roster_delivery_lag_seconds',
      help: 'Time from the event to the end of its first attempt, by lane: fresh (from the stream), or retries if it waited in the queue for a slot or a circuit.',
      labelNames: ['lane'],
      buckets,
      registers,
    });
    this.#tunnels = new Counter({
      name: 'roster_delivery_tunnels_total',
      help: 'Tunnels through the egress proxy, by outcome: opened, a failure of the proxy (connect, authentication, timeout), or one of the proxy or a receiver (answer, closed), which is not counted as an attempt.',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of tunnelOutcomes) this.#tunnels.inc({ outcome }, 0);
  }

  /** What became of a tunnel through the egress proxy. */
  tunnel(outcome: TunnelOutcome): void {
    this.#tunnels.inc({ outcome });
  }

  attempted(delivery: Delivery, { errorClass, trigger, totalMs }: Attempt): void {
    this.#attempts.inc({ outcome: errorClass ?? 'ok', trigger });
    this.#duration.observe(totalMs / 1000);
    if (delivery.attempts === 0 && trigger === 'event') {
      const lane = delivery.lease === undefined ? 'fresh' : 'retries';
      this.#lag.observe({ lane }, (Date.now() - timeOfId(delivery.eventId)) / 1000);
    }
  }

  finished(status: DeliveryStatus, count = 1): void {
    this.#finished.inc({ status }, count);
  }
}
