import { randomBytes } from 'node:crypto';
import { connectBus, type Bus, type EventPublisher, type HandlerTable } from '@roster/bus';
import { encodeId, eventKinds, publisherOf, uuidOf, type EventKind } from '@roster/contracts';
import { IdClock, openLog, openMetrics } from '@roster/process';
import { makeEvent, openDatabase, Outbox, type Database } from '@roster/storage';
import { throwawayDatabase, throwawayNats, type ThrowawayNats } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { dispatcherConfig } from '../config.js';
import type { ConnectOptions } from '../attempt/connect.js';
import { deliveryId, type DeliveryStatus } from '../delivery/delivery.js';
import type { Subscription } from '../webhooks/known-webhook.js';
import { startDispatcher } from '../dispatcher.js';
import { entities } from '../entities/index.js';
import { migrations } from '../migrations/index.js';
import { schema } from '../service.js';
import { template } from './dispatcher-database.js';

const log = openLog('dispatcher', 'silent');
const stream = { replicas: 1, maxAgeSeconds: 3600 };
const ids = new IdClock();

/** A dispatcher with a database and a NATS server of its own, and a stand-in for the webhooks service. */
export interface RunningDispatcher {
  database: Database;
  databaseUrl: string;
  nats: ThrowawayNats;
  bus: Bus;
  publisher: EventPublisher;
  /** Raw and encoded. */
  workspace: { id: string; outside: string };
  /** The answer of the webhooks service. Call `changed` after changing it. */
  webhooks: Subscription[];
  changed(): void;
  /** Ends the stand-in for the webhooks service. */
  stopWebhooks(): Promise<void>;
  /** Webhooks that the dispatcher has disabled. */
  disabled: { webhookId: string; reason: string }[];
  /** Adds a webhook to one workspace (encoded ID), by default to every workspace. */
  addWebhook(url: string, more?: Partial<Subscription>, ownerId?: string): Subscription;
  /** Publishes an event as a service does. Returns its raw ID and body. */
  publish(
    kind?: EventKind,
    more?: { republished?: boolean; id?: string; workspaceId?: string; details?: string },
  ): Promise<{ id: string; body: string }>;
  delivery(eventId: string, webhook: Subscription): Promise<DeliveryRow | undefined>;
  /** Starts one more dispatcher on the same database and stream. */
  start(
    env?: Record<string, string>,
    connect?: Partial<ConnectOptions>,
  ): Promise<() => Promise<void>>;
  /** Stops every dispatcher that runs. */
  stopAll(): Promise<void>;
  /** Value of a metric of a dispatcher, by default of the first one started. */
  metric(series: string, dispatcher?: number): Promise<number>;
}

export interface DeliveryRow {
  id: string;
  status: DeliveryStatus;
  reason: string | null;
  attempts: Record<string, unknown>[];
}

/** Without the check that durations are consistent: in some tests a lease ends during an attempt. */
const anyConfig = z.object(dispatcherConfig.shape);

/** Targets on loopback, and a short schedule. */
export const testEnv = {
  NATS_URL: 'nats://unused:4222',
  DATABASE_URL: 'postgres://user:password@unused:5432/roster',
  ALLOW_TARGETS: '127.0.0.0/8,::1/128',
  ALLOW_HTTP: 'true',
  RETRY_SCHEDULE_SECONDS: '0.05,0.05,0.05',
  // Receivers of tests answer immediately, but a busy machine may need seconds.
  ATTEMPT_TIMEOUT_MS: '20000',
  CIRCUIT_OPEN_SECONDS: '0.05',
  CIRCUIT_OPEN_SECONDS_MAX: '0.2',
  HEALTH_REPORT_MS: '50',
};

export async function runDispatcher(
  t: ExecutionContext,
  env: Record<string, string> = {},
  connect: Partial<ConnectOptions> = {},
): Promise<RunningDispatcher> {
  const [postgres, nats] = await Promise.all([throwawayDatabase(template), throwawayNats()]);
  const options = { url: postgres.url, schema, poolMax: 5, entities, migrations, log };
  const database = await openDatabase(options);
  const bus = await connectBus({ servers: nats.url, name: 'test', log });
  const publisher = await bus.openEvents(stream);
  const outbox = await Outbox.open({
    ...{ schema, database, publisher, stream, log, link: bus.link },
    metrics: openMetrics('dispatcher'),
  });
  const raw = ids.next();
  const workspace = { id: raw, outside: encodeId('workspace', raw) };
  const standIn = standInForWebhooks(bus, workspace.outside);
  const stops: (() => Promise<void>)[] = [];
  const registries: Registry[] = [];
  const start: RunningDispatcher['start'] = async (more = {}, inner = {}) => {
    const metrics = openMetrics('dispatcher');
    registries.push(metrics);
    const stop = await startDispatcher({
      config: anyConfig.parse({ ...testEnv, ...env, ...more }),
      ...{ database, outbox, bus, metrics, log },
      connect: { ...connect, ...inner },
      retryPollMs: 20,
    });
    stops.push(stop);
    return stop;
  };
  const stopAll = async () => void (await Promise.all(stops.splice(0).map((stop) => stop())));
  await start();
  t.teardown(async () => {
    await stopAll();
    await standIn.stopWebhooks();
    await outbox.stop();
    await bus.close();
    await database.close();
    await Promise.all([postgres.drop(), nats.stop()]);
  });
  return {
    ...{ database, databaseUrl: postgres.url, nats, bus, publisher, workspace },
    ...{ ...standIn, start, stopAll },
    async publish(
      kind = 'CONTACT_CREATED',
      { republished = false, id, workspaceId, details } = {},
    ) {
      const event = sampleEvent(workspaceId ?? workspace.id, kind);
      const eventId = id ?? event.id;
      const encoded = {
        id: encodeId('event', eventId),
        workspaceId: encodeId('workspace', workspaceId ?? workspace.id),
      };
      await publisher.publish({ ...encoded, kind, body: event.body, details, republished });
      return { id: eventId, body: event.body };
    },
    async delivery(eventId, webhook) {
      const id = deliveryId(eventId, uuidOf('webhook', webhook.id));
      const [row] = await database.query<DeliveryRow>(selectDelivery, [workspace.id, id]);
      return row;
    },
    metric: (series, dispatcher = 0) => valueOf(registries[dispatcher]!, series),
  };
}

/** Serves the operations of the webhooks service that a dispatcher calls. */
function standInForWebhooks(bus: Bus, workspaceId: string) {
  const webhooks: Subscription[] = [];
  const owners = new Map<string, string>();
  const disabled: RunningDispatcher['disabled'] = [];
  const changed = () => bus.broadcast('webhooks.changed', { workspaceId });
  const stopWebhooks = bus.serve('webhooks', {
    'webhooks.subscriptions': async (calls) =>
      calls.map(({ input }) => ({
        subscriptions: webhooks.filter(({ id }) =>
          [undefined, input.workspaceId].includes(owners.get(id)),
        ),
      })),
    'webhooks.shut-off': async (calls) =>
      calls.map(({ input }) => {
        disabled.push({ webhookId: input.webhookId, reason: input.reason });
        const webhook = webhooks.find(({ id }) => id === input.webhookId);
        if (webhook) webhook.disabledReason = input.reason;
        changed();
        return { disabled: true as const };
      }),
  } as Partial<HandlerTable<'webhooks'>> as HandlerTable<'webhooks'>);
  const addWebhook: RunningDispatcher['addWebhook'] = (url, more = {}, ownerId) => {
    const webhook: Subscription = {
      id: encodeId('webhook', ids.next()),
      url,
      events: eventKinds.filter((kind) => publisherOf[kind] === 'contacts'),
      payload: 'compact',
      token: randomBytes(12).toString('hex'),
      previousToken: null,
      disabledReason: null,
      ...more,
    };
    if (ownerId !== undefined) owners.set(webhook.id, ownerId);
    webhooks.push(webhook);
    changed();
    return webhook;
  };
  return { webhooks, disabled, changed, addWebhook, stopWebhooks };
}

const sampleEvent = (workspaceId: string, kind: EventKind) =>
  makeEvent(ids, workspaceId, kind, {
    contact: {
      id: encodeId('contact', ids.next()),
      email: 'ä@example.com',
      name: 'Ünï "🙂"',
      createdAt: '',
    },
  });

const selectDelivery = {
  name: 'test.delivery',
  text: `select id, status, reason, attempts from dispatcher.deliveries where workspace_id = $1 and id = $2`,
};

async function valueOf(registry: Registry, series: string): Promise<number> {
  const lines = (await registry.metrics()).split('\n');
  const value = lines.find((line) => line.startsWith(`${series} `))?.slice(series.length + 1);
  if (value === undefined) throw new Error(`no series ${series}`);
  return Number(value === 'Nan' ? Number.NaN : value);
}
