import { randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectBus, type Bus, type EventPublisher, type HandlerTable } from '@roster/bus';
import { encodeId, eventKinds, uuidOf, type EventKind } from '@roster/contracts';
import { IdClock, openLog, openMetrics } from '@roster/service';
import { makeEvent, openDatabase, type Database } from '@roster/service/storage';
import { throwawayDatabase, throwawayNats, type ThrowawayNats } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { dispatcherConfig } from '../config.js';
import type { ConnectOptions } from '../connect.js';
import { deliveryId, type DeliveryStatus } from '../delivery.js';
import { startDispatcher } from '../dispatcher.js';
import { migrations } from '../migrations/index.js';
import { schema } from '../service.js';
import type { Subscription } from '../subscriptions.js';

const log = openLog('dispatcher', 'silent');
const stream = { replicas: 1, maxAgeSeconds: 3600 };
const ids = new IdClock();

/** A dispatcher with a database and a NATS server of its own, and a stand-in for the webhooks service. */
export interface RunningDispatcher {
  database: Database;
  nats: ThrowawayNats;
  bus: Bus;
  publisher: EventPublisher;
  /** Raw and outside form. */
  workspace: { id: string; outside: string };
  /** What the webhooks service answers; changes are broadcast by `changed`. */
  webhooks: Subscription[];
  changed(): void;
  /** Webhooks that the dispatcher has disabled. */
  disabled: { webhookId: string; reason: string }[];
  addWebhook(url: string, more?: Partial<Subscription>): Subscription;
  /** Publishes an event as a service would, and gives its raw id and body. */
  publish(
    kind?: EventKind,
    more?: { again?: boolean; id?: string },
  ): Promise<{ id: string; body: string }>;
  delivery(eventId: string, webhook: Subscription): Promise<DeliveryRow | undefined>;
  /** Starts one more dispatcher on the same database and stream. */
  start(
    env?: Record<string, string>,
    connect?: Partial<ConnectOptions>,
  ): Promise<() => Promise<void>>;
  /** Stops every dispatcher that runs. */
  stopAll(): Promise<void>;
}

export interface DeliveryRow {
  id: string;
  status: DeliveryStatus;
  reason: string | null;
  attempts: Record<string, unknown>[];
}

/** Everything on loopback, and the schedule shortened. */
export const testEnv = {
  NATS_URL: 'unused',
  DATABASE_URL: 'unused',
  ALLOW_TARGETS: '127.0.0.0/8,::1/128',
  ALLOW_HTTP: 'true',
  RETRY_SCHEDULE_SECONDS: '0.05,0.05,0.05',
  // Receivers of tests answer at once, but a busy machine may take seconds for it.
  ATTEMPT_TIMEOUT_MS: '20000',
  PAUSE_SECONDS: '0.05',
  PAUSE_SECONDS_MAX: '0.2',
  HEALTH_REPORT_MS: '50',
};

export async function runDispatcher(
  t: ExecutionContext,
  env: Record<string, string> = {},
  connect: Partial<ConnectOptions> = {},
): Promise<RunningDispatcher> {
  const [postgres, nats] = await Promise.all([throwawayDatabase(), throwawayNats()]);
  const database = await openDatabase({
    url: postgres.url,
    schema,
    poolMax: 5,
    entities: [],
    migrations,
    log,
  });
  const bus = await connectBus({ servers: nats.url, name: 'test', log });
  const publisher = await bus.openEvents(stream);
  const webhooks: Subscription[] = [];
  const disabled: RunningDispatcher['disabled'] = [];
  const raw = ids.next();
  const workspace = { id: raw, outside: encodeId('workspace', raw) };
  const changed = () => bus.broadcast('webhooks.changed', { workspaceId: workspace.outside });
  const stopServing = bus.serve('webhooks', {
    'webhooks.subscriptions': async (calls) => calls.map(() => ({ subscriptions: webhooks })),
    'webhooks.shut-off': async (calls) =>
      calls.map(({ input }) => {
        disabled.push({ webhookId: input.webhookId, reason: input.reason });
        const webhook = webhooks.find(({ id }) => id === input.webhookId);
        if (webhook) webhook.disabledReason = input.reason;
        changed();
        return { disabled: true as const };
      }),
  } as Partial<HandlerTable<'webhooks'>> as HandlerTable<'webhooks'>);
  const stops: (() => Promise<void>)[] = [];
  const start: RunningDispatcher['start'] = async (more = {}, inner = {}) => {
    const stop = await startDispatcher({
      config: dispatcherConfig.parse({ ...testEnv, ...env, ...more }),
      database,
      bus,
      metrics: openMetrics('dispatcher'),
      log,
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
    await stopServing();
    await bus.close();
    await database.close();
    await Promise.all([postgres.drop(), nats.stop()]);
  });
  return {
    database,
    nats,
    bus,
    publisher,
    workspace,
    webhooks,
    changed,
    disabled,
    addWebhook(url, more = {}) {
      const webhook: Subscription = {
        id: encodeId('webhook', ids.next()),
        url,
        events: [...eventKinds],
        token: randomBytes(12).toString('hex'),
        previousToken: null,
        disabledReason: null,
        ...more,
      };
      webhooks.push(webhook);
      changed();
      return webhook;
    },
    async publish(kind = 'CONTACT_CREATED', { again = false, id } = {}) {
      const contact = {
        id: encodeId('contact', ids.next()),
        email: 'ä@example.com',
        name: 'Ünï "🙂"',
        createdAt: '',
      };
      const event = makeEvent(ids, workspace.id, kind, { contact });
      const eventId = id ?? event.id;
      const message = {
        id: encodeId('event', eventId),
        workspaceId: workspace.outside,
        kind,
        body: event.body,
      };
      await publisher.publish({ ...message, again });
      return { id: eventId, body: event.body };
    },
    async delivery(eventId, webhook) {
      const [row] = await database.query<DeliveryRow>(
        {
          name: 'test.delivery',
          text: 'select id, status, reason, attempts from dispatcher.deliveries where workspace_id = $1 and id = $2',
        },
        [workspace.id, deliveryId(eventId, uuidOf('webhook', webhook.id))],
      );
      return row;
    },
    start,
    stopAll,
  };
}

export interface Hit {
  headers: IncomingHttpHeaders;
  body: string;
}

/** An endpoint on loopback. `answer` may do what it likes with the response; by default it is 200. */
export async function receiverFor(
  t: ExecutionContext,
  answer: (response: ServerResponse, hit: Hit, request: IncomingMessage) => void = (response) =>
    response.end(),
): Promise<{ url: string; port: number; hits: Hit[]; connections(): number }> {
  const hits: Hit[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const hit = { headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      hits.push(hit);
      answer(response, hit, request);
    });
  });
  // A test may pause for longer than Node keeps idle connections by default.
  server.keepAliveTimeout = 60_000;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook?x=1`, port, hits, connections: () => connections };
}
