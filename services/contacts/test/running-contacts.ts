import { ActivityReporter, connectBus, type Bus, type Call } from '@roster/bus';
import {
  encodeId,
  Fault,
  operations,
  splitEvents,
  type Caller,
  type CallInputOf,
  type InputOf,
  type OperationName,
  type Operations,
  type OutputOf,
  uuidOf,
} from '@roster/contracts';
import { IdClock, openLog, openMetrics, WakeableSleep } from '@roster/process';
import { openDatabase, Outbox, type Database } from '@roster/storage';
import { throwawayDatabase, throwawayNats } from '@roster/testing';
import type { TestFn } from 'ava';
import { openDefinitionCache } from '../writing/definitions/definition-cache.js';
import { entities } from '../entities/index.js';
import { handlers } from '../handlers.js';
import { migrations } from '../migrations/index.js';
import { openQuotas } from '../writing/quotas.js';
import { schema, type ContactsService } from '../service.js';
import { UnsubscribeLinks } from '../reading/unsubscribe-links.js';

/** The service with its own database and NATS server, and a client connection. */
export interface RunningContacts {
  /** Without background work: imports are applied by the runners of a test. */
  service: ContactsService;
  database: Database;
  bus: Bus;
  links: UnsubscribeLinks;
  databaseUrl: string;
  natsUrl: string;
  /** Names of the statements sent so far. */
  statements: string[];
  /** Sizes of the received batches, by operation. */
  batches: { operation: string; calls: number }[];
  /** Maximum numbers of contacts, by workspace, as the users service states them. */
  quotas: Map<string, number>;
  stop(): Promise<void>;
}

/** Where the gateways of the service are. */
export const publicUrl = 'https://contacts.example.com';

interface ContactsOptions {
  poolMax?: number;
  /** Lock timeout of the database: on a busy machine, tests hold some locks for long. */
  lockMs?: number;
  /** Lock timeout of a batch, by default that of production. */
  batchLockMs?: number;
}

/** The migrated database. */
const template = {
  name: schema,
  async fill(url: string) {
    const log = openLog(schema, 'silent');
    await (await openDatabase({ url, schema, poolMax: 2, entities, migrations, log })).close();
  },
};

export async function runContacts({
  poolMax = 5,
  lockMs = 60_000,
  batchLockMs,
}: ContactsOptions = {}): Promise<RunningContacts> {
  const [postgres, nats] = await Promise.all([throwawayDatabase(template), throwawayNats()]);
  const log = openLog('contacts', 'error');
  const statements: string[] = [];
  const batches: RunningContacts['batches'] = [];
  const serverBus = await connectBus({
    servers: nats.url,
    name: 'contacts',
    log,
    observer: { batchReceived: (operation, calls) => batches.push({ operation, calls }) },
  });
  const bus = await connectBus({ servers: nats.url, name: 'caller', log });
  const database = await openDatabase({
    url: `${postgres.url}?lock_timeout=${lockMs}`,
    schema,
    poolMax,
    entities,
    migrations,
    log,
    observe: (statement) => statements.push(statement),
  });
  const stream = { replicas: 1, maxAgeSeconds: 3600 };
  const publisher = await serverBus.openEvents(stream);
  const outbox = await Outbox.open({
    schema,
    database,
    publisher,
    link: serverBus.link,
    log,
    metrics: openMetrics('contacts'),
    stream,
  });
  const links = new UnsubscribeLinks(database, publicUrl);
  const service = {
    database,
    outbox,
    ids: new IdClock(),
    definitions: openDefinitionCache(serverBus),
    quotas: openQuotas(serverBus),
    links,
    jobs: new WakeableSleep(),
    activity: new ActivityReporter(serverBus),
    bus: serverBus,
  };
  const quotas = new Map<string, number>();
  bus.serve('users', {
    'workspace-quotas.get': async (calls: Call<{ workspaceId: string }>[]) =>
      calls.map(({ input }) => ({ contacts: quotas.get(input.workspaceId) ?? null })),
  } as never);
  const stopServing = serverBus.serve('contacts', handlers(service), { lockMs: batchLockMs });
  await Promise.all([serverBus.link.nats.flush(), bus.link.nats.flush()]);
  return {
    service,
    database,
    bus,
    links,
    databaseUrl: postgres.url,
    natsUrl: nats.url,
    statements,
    batches,
    quotas,
    async stop() {
      await stopServing();
      await outbox.stop();
      service.activity.close();
      await Promise.all([bus.close(), serverBus.close()]);
      await database.close();
      await Promise.all([postgres.drop(), nats.stop()]);
    },
  };
}

/** The service, started once for a file of tests. Each test uses its own workspaces. */
export function contactsFor(test: TestFn, options?: ContactsOptions): () => RunningContacts {
  let running: RunningContacts;
  test.before(async () => {
    running = await runContacts(options);
  });
  test.after.always(() => running?.stop());
  return () => running;
}

type Outcome<T> = T | Fault;

/** A new workspace, and calls in its name. */
export interface Workspace {
  id: string;
  /** Number of results so far that were stored responses. */
  replays(): number;
  caller: Caller;
  call<Name extends OperationName>(
    name: Name,
    input: CallInputOf<Operations[Name]>,
    idempotencyKey?: string,
    ifMatch?: readonly string[],
  ): Promise<OutputOf<Operations[Name]>>;
  /** As `call`, but returns the fault instead of throwing it. */
  attempt<Name extends OperationName>(
    name: Name,
    input: CallInputOf<Operations[Name]>,
    idempotencyKey?: string,
    ifMatch?: readonly string[],
  ): Promise<Outcome<OutputOf<Operations[Name]>>>;
}

const ids = new IdClock();

/** @param timeoutMs of calls: long, so that a stall of the machine does not fail them */
export function newWorkspace(bus: Bus, timeoutMs = 60_000): Workspace {
  const caller: Caller = {
    workspaceId: encodeId('workspace', ids.next()),
    userId: encodeId('user', ids.next()),
    keyId: encodeId('key', ids.next()),
    scopes: ['api_user', 'user'],
  };
  let replays = 0;
  const call: Workspace['call'] = (name, input, idempotencyKey, ifMatch) =>
    // Parsed by the contract, as in the gateway.
    bus.call(name, operations[name].input.parse(input) as InputOf<Operations[typeof name]>, {
      caller,
      requestId: 'test',
      onReplayed: () => {
        replays += 1;
      },
      deadline: Date.now() + timeoutMs,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
    });
  return {
    id: caller.workspaceId,
    replays: () => replays,
    caller,
    call,
    attempt: (name, input, idempotencyKey, ifMatch) =>
      call(name, input, idempotencyKey, ifMatch).catch((error: unknown) => {
        if (error instanceof Fault) return error;
        throw error;
      }),
  };
}

export const create = (workspace: Workspace, email: string, more: object = {}) =>
  workspace.call('contacts.create', { email, ...more });

export const codeOf = (outcome: unknown) => (outcome instanceof Fault ? outcome.code : 'ok');

/** Events of a workspace in the order in which they were written. */
export async function eventsOf({ database }: RunningContacts, workspace: Workspace) {
  const rows = await database.query<{ kind: string; body: string; details: string | null }>(
    {
      name: 'test.events',
      text: 'select kind, body, details from contacts.outbox where workspace_id = $1 order by id',
    },
    [uuidOf('workspace', workspace.id)],
  );
  return rows.flatMap(({ kind, body, details }) =>
    body.startsWith('{')
      ? [{ kind, body, details }]
      : splitEvents(body).map((event) => ({ kind, ...event, details: event.details ?? null })),
  );
}

export const kindsOf = async (running: RunningContacts, workspace: Workspace) =>
  (await eventsOf(running, workspace)).map(({ kind }) => kind);
