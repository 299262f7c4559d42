import { connectBus, Json, type Answer, type Bus, type Call } from '@roster/bus';
import {
  checksumOf,
  encodeId,
  Fault,
  operationsOf,
  resources,
  type ResourceKind,
  type Scope,
  type ServiceName,
} from '@roster/contracts';
import { openLog } from '@roster/service';
import { hash, randomBytes, randomUUID } from 'node:crypto';

export interface TestKey {
  apiKey: string;
  keyId: string;
  workspaceId: string;
  userId: string;
  scopes: Scope[];
  expiresAt: string | null;
}

/** Undefined leaves the answer to the stub. */
type StubHandler = (call: Call) => Answer<unknown> | Promise<Answer<unknown>>;

/** Services that answer every operation of the contracts with something of the right shape, and write down what they saw. */
export interface StubServices {
  bus: Bus;
  /** Calls that arrived, by operation. */
  calls(operation: string): Call[];
  /** Names of the operations that a request asked, but for verifying its key. */
  askedBy(requestId: string): string[];
  /** All calls that arrived but those that verify keys. */
  readonly total: number;
  /** Sizes of the batches that arrived, by operation. */
  batches(operation: string): number[];
  makeKey(settings?: Partial<TestKey>): TestKey;
  /** Revoked for the stub; the broadcast is the test's. */
  revoke(key: TestKey): void;
  answer(operation: string, handler: StubHandler): void;
  stop(service: ServiceName): Promise<void>;
  start(service: ServiceName): void;
  close(): Promise<void>;
}

export const createdAt = '2026-01-31T09:00:00.000Z';
const idOf = (kind: ResourceKind) => encodeId(kind, '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01');
export const contactId = idOf('contact');
export const propertyId = idOf('contactProperty');
export const webhookId = idOf('webhook');
export const deliveryId = idOf('delivery');
export const replayId = idOf('replay');
export const userId = idOf('user');
/** What stands for each parameter of a path. */
export const pathIds: Record<string, string> = Object.fromEntries(
  Object.entries(resources).map(([kind, { idField }]) => [idField, idOf(kind as ResourceKind)]),
);

const contact = {
  id: contactId,
  email: 'ada@example.com',
  name: 'Ada “née Byron” Lovelace',
  createdAt,
  tags: [],
  properties: { id: 'no id' },
  status: 'subscribed',
};
const property = { id: propertyId, name: 'city', label: 'City', type: 'string', createdAt };
const user = {
  id: userId,
  email: 'ada@example.com',
  name: 'Ada',
  createdAt,
  lastAccessedAt: createdAt,
};
const webhook = {
  id: webhookId,
  url: 'https://example.com/',
  events: ['CONTACT_CREATED'],
  createdAt,
  status: 'active',
  disabledReason: null,
  lastSuccessAt: createdAt,
  lastFailureAt: null,
  token: 'wht_secret',
};
const delivery = {
  id: deliveryId,
  webhookId,
  eventId: encodeId('event', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01'),
  kind: 'CONTACT_CREATED',
  status: 'pending',
  reason: null,
  attemptCount: 0,
  createdAt,
  completedAt: null,
  nextAttemptAt: createdAt,
  payload: { event: 'CONTACT_CREATED' },
  attempts: [],
};
const replay = {
  id: replayId,
  webhookId,
  since: createdAt,
  until: createdAt,
  deliveryStatus: null,
  kinds: null,
  total: 1,
  done: 0,
  status: 'running',
  createdAt,
};

const results: Record<string, unknown> = {
  'contacts.list': {
    contacts: [contact],
    pagination: { total: 1, limit: 50, offset: 0, next: null },
  },
  'contacts.page': { contacts: [contact], hasNext: false, hasPrevious: false, total: null },
  'contact-properties.list': { properties: [property] },
  'webhooks.list': { webhooks: [] },
  'webhooks.test': { delivery },
  'webhooks.stats': { stats: { hours: [] } },
  'deliveries.list': {
    deliveries: [delivery],
    pagination: { limit: 50, next: null, previous: null },
  },
  'contacts.delete': { deleted: true },
  'webhooks.delete': { deleted: true },
};
const resultsOfNoun: Record<string, unknown> = {
  contacts: { contact },
  'contact-properties': { property },
  users: { user },
  webhooks: { webhook },
  deliveries: { delivery },
  replays: { replay },
};

/** What the stubs answer an operation, with a space that would be lost if it were parsed and written again. */
export const stubBytes = (operation: string): string =>
  `${JSON.stringify(results[operation] ?? resultsOfNoun[operation.split('.')[0]!])} `;

export async function serveStubs(natsUrl: string): Promise<StubServices> {
  const seen: { operation: string; call: Call }[] = [];
  const batches: { operation: string; calls: number }[] = [];
  const keys = new Map<string, TestKey>();
  const answers = new Map<string, StubHandler>();
  const stops = new Map<ServiceName, () => Promise<void>>();
  const bus = await connectBus({
    servers: natsUrl,
    name: 'stubs',
    log: openLog('stubs', 'silent'),
    observer: { batchReceived: (operation, calls) => void batches.push({ operation, calls }) },
  });

  answers.set('keys.verify', ({ input }) => {
    const key = keys.get((input as { sha256: string }).sha256);
    if (!key) return new Fault('unauthenticated', 'No such key.');
    const { apiKey: _, ...verified } = key;
    return verified;
  });

  const handlerOf = (operation: string) => (calls: Call[]) =>
    Promise.all(
      calls.map(async (call) => {
        seen.push({ operation, call });
        const answer = await answers.get(operation)?.(call);
        return answer ?? new Json(stubBytes(operation));
      }),
    );

  const stubs: StubServices = {
    bus,
    calls: (operation) => seen.filter((one) => one.operation === operation).map(({ call }) => call),
    askedBy: (requestId) =>
      seen
        .filter(
          ({ operation, call }) => operation !== 'keys.verify' && call.requestId === requestId,
        )
        .map(({ operation }) => operation),
    get total() {
      return seen.filter(({ operation }) => operation !== 'keys.verify').length;
    },
    batches: (operation) =>
      batches.filter((one) => one.operation === operation).map(({ calls }) => calls),
    makeKey(settings = {}) {
      const random = randomBytes(15).toString('hex');
      const key: TestKey = {
        apiKey: `rsk_${random}${checksumOf(random)}`,
        keyId: encodeId('key', randomUUID()),
        workspaceId: encodeId('workspace', randomUUID()),
        userId,
        scopes: ['api_user', 'user'],
        expiresAt: null,
        ...settings,
      };
      keys.set(hash('sha256', key.apiKey), key);
      return key;
    },
    revoke: (key) => void keys.delete(hash('sha256', key.apiKey)),
    answer: (operation, handler) => void answers.set(operation, handler),
    async stop(service) {
      await stops.get(service)?.();
      stops.delete(service);
    },
    start(service) {
      const handlers = Object.fromEntries(
        Object.keys(operationsOf[service]).map((name) => [name, handlerOf(name)]),
      );
      stops.set(service, bus.serve(service, handlers));
    },
    close: () => bus.close(),
  };
  for (const service of Object.keys(operationsOf) as ServiceName[]) stubs.start(service);
  await bus.link.nats.flush();
  return stubs;
}
