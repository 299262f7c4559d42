import {
  ActivityReporter,
  consumeEvents,
  unavailable,
  type Bus,
  type EventConsumer,
} from '@roster/bus';
import { eventConsumer } from '@roster/contracts';
import { IdClock, type Log } from '@roster/process';
import { startRetention, type Database, type Outbox } from '@roster/storage';
import { dayCounter } from './operations/usage.js';
import { Counter, type Registry } from 'prom-client';
import type { z } from 'zod';
import { GivenUp } from './attempt/attempt.js';
import type { ConnectOptions } from './attempt/connect.js';
import type { dispatcherConfig } from './config.js';
import { Activity } from './delivery/activity.js';
import { forgetHours } from './delivery/count-attempts.js';
import { dispatchEvents } from './delivery/dispatch-events.js';
import { Subscriptions } from './webhooks/subscriptions.js';
import { WebhooksService } from './webhooks/webhooks-service.js';
import { handlers } from './handlers.js';
import { freshMax, openLanes, retriesShare } from './lanes.js';
import { observeCircuits, observeQueue, observeSlots, observeStream } from './observe.js';
import { Partitions } from './queue/partitions.js';
import { Queue } from './queue/queue.js';
import { forgetAnnouncements } from './queue/announce-dead.js';
import { forgetRates } from './queue/rate-grants.js';
import { ReplayRunner } from './queue/replay-runner.js';
import { RetryLane } from './queue/retry-lane.js';
import { WebhookChanges } from './queue/webhook-changes.js';

export interface DispatcherOptions {
  config: z.output<typeof dispatcherConfig>;
  database: Database;
  /** Of the events about deliveries. */
  outbox: Outbox;
  bus: Bus;
  metrics: Registry;
  log: Log;
  /** Repeats the attempt until it succeeds. */
  waitFor?: <T>(attempt: () => Promise<T>) => Promise<T>;
  /** For tests. */
  connect?: Partial<ConnectOptions>;
  retryPollMs?: number;
}

const retentionEveryMs = 3_600_000;
/** How long a stop waits for attempts in flight. Longer ones are interrupted, and repeated by any process. */
const graceMs = 2500;

/**
 * Consumes events and sends deliveries until the returned function is called. That function waits for what is in flight; the rest
 * remains in the stream and the queue.
 */
export async function startDispatcher(options: DispatcherOptions): Promise<() => Promise<void>> {
  const { config, database, bus, metrics, log, connect = {}, retryPollMs } = options;
  const { waitFor = (attempt) => attempt() } = options;
  const partitions = new Partitions(database, config.RETENTION_DAYS);
  await waitFor(() => partitions.prepare());
  const stream = { replicas: config.EVENTS_REPLICAS, maxAgeSeconds: config.EVENTS_MAX_AGE_SECONDS };
  bus.describe({ stream: `${stream.replicas} replicas, ${stream.maxAgeSeconds} s` });
  // Before anything is started that would have to be stopped.
  await waitFor(() => bus.openEvents(stream));
  const webhooks = new WebhooksService(bus);
  const subscriptions = new Subscriptions(webhooks);
  const queue = new Queue(database);
  const reporter = new ActivityReporter(bus);
  const activity = new Activity(reporter);
  const lanes = openLanes({ ...options, partitions, queue, webhooks, activity, connect });
  const { fresh, retries, inFlight, rates, circuits, recorder, connections, health } = lanes;
  const changes = new WebhookChanges({
    ...{ webhooks, queue, activity, metrics: lanes.metrics, log },
  });
  const retryLane = new RetryLane({
    ...{ queue, subscriptions, ...retries, inFlight, rates, circuits, log },
    pausedMs: () => connections.proxy?.pausedMs ?? 0,
    leaseSeconds: config.LEASE_SECONDS,
    claimPerWebhookMax: retriesShare(config.ATTEMPTS_PER_WEBHOOK_MAX),
    ...(retryPollMs === undefined ? {} : { pollMs: retryPollMs }),
  });
  const replays = new ReplayRunner({
    ...{ database, queue, activity, log },
    perSecond: config.REPLAY_PER_SECOND,
  });
  let consumer: EventConsumer | undefined;
  const stopServing = bus.serve(
    'dispatcher',
    handlers({
      ...{ database, partitions, queue, replays, activity, subscriptions },
      ...{ ids: new IdClock(), log: bus, stream: bus.stream },
      acknowledgedSequence: async () => {
        if (!consumer) throw unavailable('events are not consumed yet');
        return (await consumer.status().catch(cannotAsk)).acknowledgedSequence;
      },
      retainedSeconds: config.EVENTS_MAX_AGE_SECONDS,
      deliveryRetentionDays: config.RETENTION_DAYS,
      sourceAddresses: config.DELIVERY_SOURCE_ADDRESSES,
    }),
  );
  consumer = await waitFor(() =>
    consumeEvents(
      bus.link,
      log,
      { durable: eventConsumer, stream, inFlightMax: freshMax(config) },
      dispatchEvents({ database, subscriptions, recorder, deliverer: fresh.deliverer }),
    ),
  );
  observeQueue(metrics, database);
  observeCircuits(metrics, circuits);
  observeSlots(metrics, { fresh: fresh.slots, retries: retries.slots });
  observeStream(metrics, consumer);
  const stopRetention = startRetentionTasks({ database, partitions, metrics, log });
  return async () => {
    stopRetention();
    await stopServing();
    const grace = setTimeout(
      () => connections.interrupt(new GivenUp('the process stopped during the attempt')),
      graceMs,
    );
    await Promise.all([consumer.stop(), retryLane.stop(), replays.stop()]);
    clearTimeout(grace);
    rates.close();
    await health.close();
    reporter.close();
    changes.close();
    subscriptions.close();
    connections.close();
  };
}

function cannotAsk(error: unknown): never {
  throw unavailable('NATS did not answer', error);
}

interface Retained {
  database: Database;
  partitions: Partitions;
  metrics: Registry;
  log: Log;
}

/** Creates partitions ahead of time and drops data past its retention, until the returned function is called. */
function startRetentionTasks({ database, partitions, metrics, log }: Retained): () => void {
  const expired = new Counter({
    name: 'roster_deliveries_expired_total',
    help: 'Deliveries that were dropped by retention while pending.',
    registers: [metrics],
  });
  const dropPartitions = async () => {
    const count = await partitions.drop();
    if (count === 0) return;
    expired.inc(count);
    log.warn({ count }, 'dropped pending deliveries that are older than RETENTION_DAYS');
  };
  const stops = Object.entries({
    'partitions-made': () => partitions.prepare(),
    'partitions-dropped': dropPartitions,
    'webhook-hours': () => forgetHours(database),
    'webhook-rates': () => forgetRates(database),
    'dead-announcements': () => forgetAnnouncements(database),
    usage: dayCounter(database),
  }).map(([task, run]) =>
    startRetention({ metrics, log }, { task, everyMs: retentionEveryMs, run }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}
