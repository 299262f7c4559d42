import { createSecretKey, randomBytes } from 'node:crypto';
import { connectBus, type Bus } from '@roster/bus';
import {
  encodeId,
  uuidOf,
  type EventBody,
  type SubscribableKind,
  type WebhookFilter,
} from '@roster/contracts';
import { IdClock, openLog, openMetrics } from '@roster/process';
import { openDatabase, Outbox, type Database } from '@roster/storage';
import { TargetPolicy, type TargetRules } from '@roster/process/targets';
import { callAs, callAsSystem, throwawayDatabase, throwawayNats } from '@roster/testing';
import type { TestFn } from 'ava';
import { handlers } from '../handlers.js';
import { migrations } from '../migrations/index.js';
import { schema, type WebhooksService } from '../service.js';
import type { NamedKey } from '@roster/bus';
import { TokenCipher } from '../secrets/token-cipher.js';
import { entities } from '../entities/index.js';

/** The service, served over its own NATS server with its own PostgreSQL database. */
export interface WebhooksBench {
  /** The connection of a client. In production it belongs to another process. */
  bus: Bus;
  database: Database;
  databaseUrl: string;
  cipher: TokenCipher;
  /** Dependencies of the operations. */
  tokenKeys: NamedKey[];
  /** Restarts the service with other keys. Resolves with its cipher. */
  useKeys(keys: NamedKey[]): Promise<TokenCipher>;
  /** Names of the frequent statements that ran so far. */
  statements: string[];
  /** Lines logged at level `warn`. */
  warnings: unknown[];
}

interface BenchOptions {
  targets?: Partial<TargetRules>;
  failingDaysMax?: number;
  /** Lock timeout: 2 s by default. */
  lockMs?: number;
}

/** Starts the service once for a file of tests. Each test uses its own workspace. */
export function webhooksBench(test: TestFn, options: BenchOptions = {}): () => WebhooksBench {
  const steps: (() => unknown)[] = [];
  let bench: WebhooksBench;
  test.before(async () => {
    bench = await open(options, (step) => steps.unshift(step));
  });
  test.after.always(async () => {
    for (const step of steps) await step();
  });
  return () => bench;
}

/** The migrated database. */
const template = {
  name: schema,
  async fill(url: string) {
    const log = openLog(schema, 'silent');
    await (await openDatabase({ url, schema, poolMax: 2, entities, migrations, log })).close();
  },
};

async function open(
  { targets = {}, failingDaysMax = 5, lockMs }: BenchOptions,
  onShutdown: (step: () => unknown) => void,
): Promise<WebhooksBench> {
  const log = openLog('webhooks', 'silent');
  const [postgres, nats] = await Promise.all([throwawayDatabase(template), throwawayNats()]);
  onShutdown(() => Promise.all([postgres.drop(), nats.stop()]));
  const statements: string[] = [];
  const observe = (statement: string) => void statements.push(statement);
  const options = {
    url: lockMs === undefined ? postgres.url : `${postgres.url}?lock_timeout=${lockMs}`,
    schema,
    poolMax: 5,
    entities,
    migrations,
    log,
    observe,
  };
  const database = await openDatabase(options);
  onShutdown(() => database.close());
  const served = await connectBus({ servers: nats.url, name: 'webhooks', log });
  onShutdown(() => served.close());
  const tokenKeys = [makeTokenKey('test')];
  const cipher = new TokenCipher(tokenKeys);
  const warnings: unknown[] = [];
  const stream = { replicas: 1, maxAgeSeconds: 3600 };
  const outbox = await Outbox.open({
    ...{ schema, database, stream, log, link: served.link, metrics: openMetrics('webhooks') },
    publisher: await served.openEvents(stream),
  });
  onShutdown(() => outbox.stop());
  const service: WebhooksService = {
    database,
    outbox,
    bus: served,
    ids: new IdClock(),
    cipher,
    targets: new TargetPolicy({ allow: [], deny: [], allowHttp: false, ...targets }),
    failingDaysMax,
    log: { warn: (fields: unknown) => void warnings.push(fields) },
  };
  let stop = served.serve('webhooks', handlers(service));
  const useKeys = async (keys: NamedKey[]) => {
    await stop();
    const other = new TokenCipher(keys);
    stop = served.serve('webhooks', handlers({ ...service, cipher: other }));
    return other;
  };
  const bus = await connectBus({ servers: nats.url, name: 'caller', log });
  onShutdown(() => bus.close());
  return {
    bus,
    database,
    databaseUrl: postgres.url,
    cipher,
    tokenKeys,
    useKeys,
    statements,
    warnings,
  };
}

export const makeTokenKey = (id: string): NamedKey => ({
  id,
  key: createSecretKey(randomBytes(32)),
});

const ids = new IdClock();

/** A workspace. This service knows only its ID. */
export const makeWorkspace = () => ({ workspaceId: encodeId('workspace', ids.next()) });
export type Workspace = ReturnType<typeof makeWorkspace>;

/** An ID without a webhook. */
export const unknownId = () => encodeId('webhook', ids.next());

/** Fields of the created webhook that differ from the default. */
export interface Wish {
  url?: string;
  events?: SubscribableKind[];
  description?: string;
  headers?: Record<string, string>;
  ratePerSecond?: number;
  filter?: WebhookFilter;
  token?: string;
  idempotencyKey?: string;
}

export async function makeWebhook(
  { bus }: WebhooksBench,
  workspace: Workspace,
  { idempotencyKey, ...wish }: Wish = {},
) {
  const input = { url: 'https://example.com/hooks', events: ['CONTACT_CREATED' as const], ...wish };
  const context = callAs(workspace, idempotencyKey === undefined ? {} : { idempotencyKey });
  const { webhook } = await bus.call('webhooks.create', input, context);
  return webhook;
}

export async function getWebhook({ bus }: WebhooksBench, workspace: Workspace, webhookId: string) {
  const { webhook } = await bus.call('webhooks.get', { webhookId }, callAs(workspace));
  return webhook;
}

export async function listWebhooks({ bus }: WebhooksBench, workspace: Workspace) {
  const { webhooks } = await bus.call('webhooks.list', {}, callAs(workspace));
  return webhooks;
}

export async function subscriptionsOf({ bus }: WebhooksBench, { workspaceId }: Workspace) {
  const { subscriptions } = await bus.call(
    'webhooks.subscriptions',
    { workspaceId },
    callAsSystem(),
  );
  return subscriptions;
}

/** A report of a dispatcher: milliseconds since the epoch, null by default. */
export interface Health {
  lastSuccessAt?: number;
  lastFailureAt?: number;
  failingSince?: number;
}

export function reportHealth(
  { bus }: WebhooksBench,
  workspace: Workspace,
  webhookId: string,
  { lastSuccessAt, lastFailureAt, failingSince }: Health,
) {
  const at = (ms?: number) => (ms === undefined ? null : new Date(ms).toISOString());
  const input = {
    ...workspace,
    webhookId,
    lastSuccessAt: at(lastSuccessAt),
    lastFailureAt: at(lastFailureAt),
    failingSince: at(failingSince),
  };
  return bus.call('webhooks.report-health', input, callAs(workspace));
}

/** Failures since the given time, the last one just now. */
export function failSince(
  bench: WebhooksBench,
  workspace: Workspace,
  webhookId: string,
  failingSince: number,
) {
  return reportHealth(bench, workspace, webhookId, { failingSince, lastFailureAt: Date.now() });
}

/** Kinds and webhooks of the events of a workspace, oldest first. */
export async function eventsOf({ database }: WebhooksBench, { workspaceId }: Workspace) {
  const rows = await database.query<{ body: string }>(
    {
      name: 'test.events',
      text: `select body from webhooks.outbox where workspace_id = $1 order by id`,
    },
    [uuidOf('workspace', workspaceId)],
  );
  return rows.map(({ body }) => {
    const { event, data } = JSON.parse(body) as EventBody<'WEBHOOK_DISABLED' | 'WEBHOOK_FAILING'>;
    return [event, data.webhook] as const;
  });
}

/** The stored row, as text. */
export async function storedText(
  { database }: WebhooksBench,
  { workspaceId }: Workspace,
): Promise<string> {
  const text = `
    select coalesce(string_agg(w::text, ''), '') || coalesce((
      select string_agg(i::text, '') from webhooks.idempotency_keys i where i.workspace_id = $1
    ), '') as text
    from webhooks.webhooks w where w.workspace_id = $1`;
  const rows = await database.query<{ text: string }>({ name: 'test.stored', text }, [
    uuidOf('workspace', workspaceId),
  ]);
  return rows[0]!.text;
}

/** Counts the broadcasts that name a workspace. */
export function countChanges({ bus }: WebhooksBench, { workspaceId }: Workspace): () => number {
  let changes = 0;
  bus.listen('webhooks.changed', (changed) => {
    if (changed.workspaceId === workspaceId) changes += 1;
  });
  return () => changes;
}

export { callAs, callAsSystem };
