import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { timeOfId } from '@roster/service';
import type { Database, Statement } from '@roster/service/storage';
import type { Attempt } from './attempt.js';
import type { Delivery, DeliveryStatus } from './delivery.js';

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

/** What the dispatcher counts. */
export class DeliveryMetrics {
  readonly #attempts: Counter;
  readonly #finished: Counter;
  readonly #duration: Histogram;
  readonly #lag: Histogram;

  constructor(registry: Registry, database: Pick<Database, 'query'>) {
    const registers = [registry];
    observeQueue(registry, database);
    this.#attempts = new Counter({
      name: 'roster_delivery_attempts_total',
      help: 'Attempts, by what came of them: ok, or the class of the error.',
      labelNames: ['outcome', 'trigger'],
      registers,
    });
    this.#finished = new Counter({
      name: 'roster_deliveries_finished_total',
      help: 'Deliveries that ended, by how.',
      labelNames: ['status'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'roster_delivery_attempt_duration_seconds',
      help: 'One attempt, from name resolution to the end of the answer.',
      buckets,
      registers,
    });
    this.#lag = new Histogram({
      name: 'roster_delivery_lag_seconds',
      help: 'From the event to the end of its first attempt.',
      buckets,
      registers,
    });
  }

  attempted(delivery: Delivery, { errorClass, trigger, totalMs }: Attempt): void {
    this.#attempts.inc({ outcome: errorClass ?? 'ok', trigger });
    this.#duration.observe(totalMs / 1000);
    if (delivery.attempts === 0 && trigger === 'event') {
      this.#lag.observe((Date.now() - timeOfId(delivery.eventId)) / 1000);
    }
  }

  finished(status: DeliveryStatus): void {
    this.#finished.inc({ status });
  }
}

function observeQueue(registry: Registry, database: Pick<Database, 'query'>): void {
  const due = new Gauge({
    name: 'roster_deliveries_due',
    help: 'Deliveries that wait although their time has come.',
    registers: [registry],
  });
  const waiting = new Gauge({
    name: 'roster_deliveries_waiting',
    help: 'Deliveries that wait, due or not, those under way from the queue among them.',
    registers: [registry],
    async collect() {
      const [row] = await database
        .query<{ waiting: number; due: number }>(depth, [])
        .catch(() => []);
      waiting.set(row?.waiting ?? Number.NaN);
      due.set(row?.due ?? Number.NaN);
    },
  });
}

/** Of all workspaces: a figure, nobody's data. */
const depth: Statement = {
  name: 'dispatcher.queue-depth',
  text: `
    select count(*)::int as waiting, (count(*) filter (where due_at <= now()))::int as due
    from dispatcher.queue`,
};
