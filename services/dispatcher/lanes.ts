import { FailureLog } from '@roster/bus';
import { IdClock, type Log } from '@roster/process';
import { parseDatabaseUrl, type Database, type Outbox } from '@roster/storage';
import { targetPolicyOf } from '@roster/process/targets';
import type { Registry } from 'prom-client';
import type { z } from 'zod';
import type { ConnectOptions } from './attempt/connect.js';
import { EgressProxy } from './attempt/egress-proxy.js';
import { ReceiverConnections } from './attempt/receiver-connections.js';
import { cachedResolver, hostResolver } from './attempt/resolve-host.js';
import type { dispatcherConfig } from './config.js';
import type { Activity } from './delivery/activity.js';
import { AttemptAdmission } from './delivery/attempt-admission.js';
import { Circuits } from './delivery/circuits.js';
import { countAttempts } from './delivery/count-attempts.js';
import { Deliverer } from './delivery/deliverer.js';
import { DeliveryMetrics } from './delivery/delivery-metrics.js';
import { HealthReporter } from './webhooks/health-reporter.js';
import { Recorder } from './delivery/recorder.js';
import { AttemptsInFlight } from './slots/attempts-in-flight.js';
import { RateLimits } from './slots/rate-limits.js';
import { Slots } from './slots/slots.js';
import type { WebhooksService } from './webhooks/webhooks-service.js';
import type { Partitions } from './queue/partitions.js';
import type { Queue } from './queue/queue.js';
import { announceDead } from './queue/announce-dead.js';
import { grantAttempts } from './queue/rate-grants.js';
import { recordOutcomes } from './queue/record-outcomes.js';

export interface LanesOptions {
  config: z.output<typeof dispatcherConfig>;
  database: Database;
  outbox: Outbox;
  partitions: Partitions;
  queue: Queue;
  webhooks: WebhooksService;
  activity: Activity;
  metrics: Registry;
  log: Log;
  connect: Partial<ConnectOptions>;
}

/** A deliverer and the slots of its attempts. */
export interface Lane {
  deliverer: Deliverer;
  slots: Slots;
}

/**
 * Fresh deliveries from the stream, and retries from the queue. Each lane has its own slots; the limits of a webhook and of an
 * address apply to both together. Fresh deliveries leave a quarter of the slots of a webhook to retries.
 */
export interface Lanes {
  fresh: Lane;
  retries: Lane;
  inFlight: AttemptsInFlight;
  rates: RateLimits;
  circuits: Circuits;
  recorder: Recorder;
  connections: ReceiverConnections;
  health: HealthReporter;
  metrics: DeliveryMetrics;
}

/** How long a delivery waits in memory for a slot before it is put into the queue. */
const waitForSlotMs = 250;

export function openLanes(options: LanesOptions): Lanes {
  const { config, database, outbox, partitions, queue, webhooks, activity, log } = options;
  const events = { ids: new IdClock(), outbox };
  const recorder = new Recorder({
    write: (outcomes) =>
      recordOutcomes(database, partitions, outcomes, (session, dead) =>
        announceDead(session, dead, events),
      ),
    count: (outcomes) => countAttempts(database, outcomes),
    onRecorded: (outcomes) => activity.recorded(outcomes),
    log,
  });
  const circuits = new Circuits({
    openSeconds: config.CIRCUIT_OPEN_SECONDS,
    openSecondsMax: config.CIRCUIT_OPEN_SECONDS_MAX,
  });
  const health = new HealthReporter(webhooks, log, config.HEALTH_REPORT_MS);
  const metrics = new DeliveryMetrics(options.metrics);
  const connections = openConnections(options, metrics);
  const inFlight = new AttemptsInFlight({
    perWebhookMax: config.ATTEMPTS_PER_WEBHOOK_MAX,
    perTargetMax: config.ATTEMPTS_PER_ADDRESS_MAX,
  });
  const { targets } = inFlight;
  const rates = new RateLimits({
    grant: (webhook, wanted) => grantAttempts(database, webhook, wanted),
  });
  const lane = (yielded: number, slowMax: number, mayProbe: boolean): Lane => {
    const limits = {
      ...{ totalMax: config.ATTEMPTS_MAX, yielded, slowMax, waitMs: waitForSlotMs },
      waitingMax: config.WAITING_PER_WEBHOOK_MAX,
      waitingTotalMax: waitingTotalMax(config),
    };
    const slots = new Slots(limits, inFlight);
    const admission = new AttemptAdmission({ circuits, slots, targets, rates, mayProbe });
    const deliverer = new Deliverer({
      ...{ webhooks, connections, recorder, admission, health, activity },
      ...{ waiting: queue, metrics, log },
      serviceName: config.SERVICE_NAME,
      scheduleSeconds: config.RETRY_SCHEDULE_SECONDS,
      timeoutMs: config.ATTEMPT_TIMEOUT_MS,
    });
    return { deliverer, slots };
  };
  // Created first, and therefore served first: deliveries of the queue are older.
  const retries = lane(0, config.ATTEMPTS_MAX, true);
  return {
    // The event of an attempt that hangs is unacknowledged: hanging webhooks must not use up the unacknowledged events.
    fresh: lane(
      retriesShare(config.ATTEMPTS_PER_WEBHOOK_MAX),
      Math.ceil(config.ATTEMPTS_MAX / 2),
      false,
    ),
    retries,
    ...{ inFlight, rates, circuits, recorder, connections, health, metrics },
  };
}

/** Maximum number of fresh deliveries that wait for a slot, of all webhooks. */
const waitingTotalMax = ({ ATTEMPTS_MAX }: LanesOptions['config']): number => 2 * ATTEMPTS_MAX;

/** Maximum number of fresh deliveries in memory: attempted, or waiting for a slot. */
export const freshMax = (config: LanesOptions['config']): number =>
  config.ATTEMPTS_MAX + waitingTotalMax(config);

/** Slots of a webhook that fresh deliveries leave to retries. Also the maximum number of its rows per claim. */
export const retriesShare = (perWebhookMax: number): number =>
  Math.max(1, Math.floor(perWebhookMax / 4));

const openConnections = (
  { config, connect, log }: LanesOptions,
  metrics: DeliveryMetrics,
): ReceiverConnections =>
  new ReceiverConnections({
    policy: targetPolicyOf(config, serverPorts(config)),
    resolve: cachedResolver(hostResolver(config.ATTEMPT_TIMEOUT_MS)),
    perAddressMax: config.ATTEMPTS_PER_ADDRESS_MAX,
    ...(config.DELIVERY_PROXY !== undefined && {
      proxy: openProxy(config.DELIVERY_PROXY, metrics, log),
    }),
    ...connect,
  });

function openProxy(url: string, metrics: DeliveryMetrics, log: Log): EgressProxy {
  const failures = new FailureLog(log, 'the egress proxy failed, deliveries wait');
  return new EgressProxy({
    url,
    onOutcome: (outcome) => metrics.tunnel(outcome),
    onFailure: (failure) => failures.warn(failure),
  });
}

const dnsPort = 53;
const natsPort = 4222;

/** Ports of the servers that the dispatcher itself uses: PostgreSQL, NATS and DNS. */
export function serverPorts({
  DATABASE_URL,
  NATS_URL,
}: {
  DATABASE_URL: string;
  NATS_URL: string;
}): number[] {
  const nats = NATS_URL.split(',').map((server) => {
    const { port } = new URL(server.includes('://') ? server.trim() : `nats://${server.trim()}`);
    return port === '' ? natsPort : Number(port);
  });
  return [dnsPort, ...nats, ...parseDatabaseUrl(DATABASE_URL).hosts.map(({ port }) => port)];
}
