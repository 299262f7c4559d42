import type { EventConsumer } from '@roster/bus';
import { observeTogether } from '@roster/process';
import type { Database } from '@roster/storage';
import { Gauge, type Registry } from 'prom-client';
import type { Circuits } from './delivery/circuits.js';
import type { Slots } from './slots/slots.js';
import { queueDepth } from './queue/queue-table.js';

/** Deliveries in the queue, of all workspaces: every dispatcher reports the same values. */
export function observeQueue(registry: Registry, database: Pick<Database, 'query'>): void {
  const read = async () =>
    (await database.query<{ waiting: number; due: number }>(queueDepth, []))[0]!;
  observeTogether(registry, read, {
    due: ['roster_deliveries_due', 'Deliveries that are due and not yet attempted.'],
    waiting: [
      'roster_deliveries_waiting',
      'Deliveries in the queue, due or not, including those in flight.',
    ],
  });
}

/** Webhooks whose circuit is not closed in this process. */
export function observeCircuits(registry: Registry, circuits: Pick<Circuits, 'unclosed'>): void {
  new Gauge({
    name: 'roster_webhook_circuits',
    help: 'Webhooks whose circuit is not closed, by state: open (no deliveries are sent) or half-open (the next delivery is a probe).',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { open, halfOpen } = circuits.unclosed();
      this.set({ state: 'open' }, open.length);
      this.set({ state: 'half-open' }, halfOpen.length);
    },
  });
}

/** Attempts in flight, by lane. */
export function observeSlots(
  registry: Registry,
  lanes: Record<'fresh' | 'retries', Pick<Slots, 'taken' | 'max'>>,
): void {
  const gauge = (name: string, help: string, figure: 'taken' | 'max') =>
    new Gauge({
      name,
      help,
      labelNames: ['lane'],
      registers: [registry],
      collect() {
        for (const [lane, slots] of Object.entries(lanes)) this.set({ lane }, slots[figure]);
      },
    });
  gauge(
    'roster_delivery_attempts_in_flight',
    'Attempts in flight, by lane: fresh (from the stream) or retries (from the queue).',
    'taken',
  );
  gauge(
    'roster_delivery_attempts_in_flight_max',
    'Maximum number of attempts in flight, by lane.',
    'max',
  );
}

/** The stream and the consumer: every dispatcher reports the same values. NaN while NATS is unreachable. */
export function observeStream(registry: Registry, consumer: Pick<EventConsumer, 'status'>): void {
  observeTogether(registry, () => consumer.status(), {
    pending: ['roster_events_pending', 'Messages in the stream not yet delivered to a dispatcher.'],
    unacknowledged: [
      'roster_events_unacknowledged',
      'Events delivered to dispatchers and not yet acknowledged.',
    ],
    acknowledgedSequence: [
      'roster_events_acknowledged_sequence',
      'Stream sequence up to which all events are acknowledged.',
    ],
    messages: [
      'roster_events_stream_messages',
      'Messages in the stream: the events of a write and workspace.',
    ],
    bytes: ['roster_events_stream_bytes', 'Size of the stream.'],
    replicas: ['roster_events_stream_replicas', 'Configured number of stream replicas.'],
    replicasCurrent: [
      'roster_events_stream_replicas_current',
      'Stream replicas that are up to date, including the leader.',
    ],
  });
}
