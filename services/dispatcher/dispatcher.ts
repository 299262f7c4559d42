import { consumeEvents, type Bus } from '@roster/bus';
import { IdClock, type Log } from '@roster/service';
import type { Database } from '@roster/service/storage';
import type { Registry } from 'prom-client';
import type { z } from 'zod';
import type { dispatcherConfig } from './config.js';
import { Circuits } from './circuits.js';
import { GivenUp } from './attempt.js';
import { Connections } from './connections.js';
import type { ConnectOptions } from './connect.js';
import { Deliverer } from './deliverer.js';
import { dispatchEvent } from './dispatch-event.js';
import { forgetHours } from './count-attempts.js';
import { handlers } from './handlers.js';
import { HealthReporter } from './health-reporter.js';
import { DeliveryMetrics } from './metrics.js';
import { ParkedDeliveries } from './parked-deliveries.js';
import { Partitions } from './partitions.js';
import { Queue } from './queue.js';
import { Recorder } from './recorder.js';
import { cachedResolver, hostResolver } from './resolve-host.js';
import { ReplayRunner } from './replay-runner.js';
import { RetryLane } from './retry-lane.js';
import { Slots } from './slots.js';
import { Subscriptions } from './subscriptions.js';
import { TargetPolicy } from './target-policy.js';

export interface DispatcherOptions {
  config: z.output<typeof dispatcherConfig>;
  database: Database;
  bus: Bus;
  metrics: Registry;
  log: Log;
  /** Put in by tests. */
  connect?: Partial<ConnectOptions>;
  retryPollMs?: number;
}

/** How long a fresh delivery waits for a place before it waits in PostgreSQL. */
const waitForSlotMs = 250;
const maintainEveryMs = 3_600_000;
/** How long a stop waits for attempts under way; what takes longer is sent again by somebody else. */
const graceMs = 2500;

/**
 * Events in, signed POSTs out, until the returned function is called: it takes no more, finishes what is under way, and
 * leaves the rest to the stream and the queue.
 */
export async function startDispatcher(options: DispatcherOptions): Promise<() => Promise<void>> {
  const { config, database, bus, metrics: registry, log, connect = {}, retryPollMs } = options;
  const partitions = new Partitions(database, config.RETENTION_DAYS);
  await partitions.prepare();
  const subscriptions = new Subscriptions(bus);
  const recorder = new Recorder(database, partitions, (error) =>
    log.warn({ err: error }, 'could not count attempts'),
  );
  const metrics = new DeliveryMetrics(registry, database);
  const connections = new Connections({
    policy: new TargetPolicy({
      allow: config.ALLOW_TARGETS,
      deny: config.DENY_TARGETS,
      allowHttp: config.ALLOW_HTTP,
    }),
    resolve: cachedResolver(hostResolver(config.ATTEMPT_TIMEOUT_MS)),
    ...connect,
  });
  const circuits = new Circuits({
    pauseSeconds: config.PAUSE_SECONDS,
    pauseSecondsMax: config.PAUSE_SECONDS_MAX,
  });
  const health = new HealthReporter(bus, log, config.HEALTH_REPORT_MS);
  const queue = new Queue(database);
  const parked = new ParkedDeliveries({ bus, queue, subscriptions, log });
  const lane = (slowMax: number) => {
    const slots = new Slots({
      totalMax: config.ATTEMPTS_MAX,
      perWebhookMax: config.ATTEMPTS_PER_WEBHOOK_MAX,
      slowMax,
      waitingMax: config.WAITING_PER_WEBHOOK_MAX,
      waitMs: waitForSlotMs,
    });
    const deliverer = new Deliverer({
      bus,
      connections,
      recorder,
      slots,
      circuits,
      health,
      queue,
      metrics,
      log,
      serviceWord: config.SERVICE_WORD,
      scheduleSeconds: config.RETRY_SCHEDULE_SECONDS,
      timeoutMs: config.ATTEMPT_TIMEOUT_MS,
    });
    return { slots, deliverer };
  };
  // Attempts that hang hold events: those of all webhooks that hang together must not hold all of them.
  const fresh = lane(Math.ceil(config.ATTEMPTS_MAX / 2));
  const retries = new RetryLane({
    database,
    subscriptions,
    ...lane(config.ATTEMPTS_MAX),
    circuits,
    queue,
    leaseSeconds: config.LEASE_SECONDS,
    log,
    ...(retryPollMs === undefined ? {} : { pollMs: retryPollMs }),
  });
  const replays = new ReplayRunner({ database, queue, log, perSecond: config.REPLAY_PER_SECOND });
  const stopServing = bus.serve(
    'dispatcher',
    handlers({ database, partitions, queue, replays, subscriptions, ids: new IdClock() }),
  );
  const consumer = await consumeEvents(
    bus.link,
    log,
    {
      durable: 'dispatcher',
      stream: { replicas: config.EVENTS_REPLICAS, maxAgeSeconds: config.EVENTS_MAX_AGE_SECONDS },
      inFlightMax: 2 * config.ATTEMPTS_MAX,
    },
    dispatchEvent({ database, subscriptions, recorder, deliverer: fresh.deliverer }),
  );
  const maintenance = setInterval(() => {
    Promise.all([partitions.prepare(), partitions.drop(), forgetHours(database)]).catch(
      (error: unknown) => {
        log.warn({ err: error }, 'could not make or drop partitions');
      },
    );
  }, maintainEveryMs);
  return async () => {
    clearInterval(maintenance);
    await stopServing();
    const grace = setTimeout(
      () => connections.interrupt(new GivenUp('stopped during an attempt')),
      graceMs,
    );
    await Promise.all([consumer.stop(), retries.stop(), replays.stop()]);
    clearTimeout(grace);
    await health.close();
    parked.close();
    subscriptions.close();
    connections.close();
  };
}
