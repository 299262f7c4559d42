import { connectBus, Json, type Answer, type Bus, type Call } from '@roster/bus';
import {
  checksumOf,
  encodeId,
  Fault,
  operationsOf,
  workspaceSuspended,
  type Scope,
  type ServiceName,
} from '@roster/contracts';
import { openLog } from '@roster/process';
import { eventually } from '@roster/testing';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { stubBytes, userId } from './stub-results.js';

export interface TestKey {
  apiKey: string;
  keyId: string;
  workspaceId: string;
  userId: string;
  scopes: Scope[];
  expiresAt: string | null;
  /** Origins of the workspace. */
  origins?: string[];
}

/** Undefined selects the default result. */
type StubHandler = (call: Call) => Answer<unknown> | Promise<Answer<unknown>>;

/** Stubs of all services: return a valid result for every operation of the contracts, and record the calls. */
export interface StubServices {
  bus: Bus;
  /** Calls of an operation so far. */
  calls(operation: string): Call[];
  /** Names of the operations that a request called, except those that the gateway calls on its own. */
  operationsCalledBy(requestId: string): string[];
  /** Number of calls so far, except those that the gateway calls on its own. */
  readonly callCount: number;
  /** Sizes of the batches of an operation so far. */
  batches(operation: string): number[];
  makeKey(settings?: Partial<TestKey>): TestKey;
  /** Revokes a key without the broadcast. */
  revoke(key: TestKey): void;
  /** Suspends the workspace of a key without the broadcast. */
  suspend(key: TestKey): void;
  answer(operation: string, handler: StubHandler): void;
  stop(service: ServiceName): Promise<void>;
  start(service: ServiceName): void;
  close(): Promise<void>;
}

export async function serveStubs(natsUrl: string): Promise<StubServices> {
  const keys = new TestKeys();
  const handlers = new Map<string, StubHandler>([['keys.verify', keys.verify]]);
  const recorded: { operation: string; call: Call }[] = [];
  const batches: { operation: string; calls: number }[] = [];
  const stops = new Map<ServiceName, () => Promise<void>>();
  const options = {
    servers: natsUrl,
    name: 'stubs',
    log: openLog('stubs', 'silent'),
    observer: {
      batchReceived: (operation: string, calls: number) => void batches.push({ operation, calls }),
    },
  };
  const bus = await eventually(() => connectBus(options));
  const serverOf = (operation: string) => (calls: Call[]) =>
    Promise.all(
      calls.map(async (call) => {
        recorded.push({ operation, call });
        const answer = await handlers.get(operation)?.(call);
        return answer ?? new Json(stubBytes(operation));
      }),
    );
  const own = new Set(['keys.verify', 'usage.report']);
  const withoutOwn = () => recorded.filter(({ operation }) => !own.has(operation));

  const stubs: StubServices = {
    bus,
    calls: (operation) =>
      recorded.filter((one) => one.operation === operation).map(({ call }) => call),
    operationsCalledBy: (requestId) =>
      withoutOwn()
        .filter(({ call }) => call.requestId === requestId)
        .map(({ operation }) => operation),
    get callCount() {
      return withoutOwn().length;
    },
    batches: (operation) =>
      batches.filter((one) => one.operation === operation).map(({ calls }) => calls),
    makeKey: (settings) => keys.make(settings),
    revoke: (key) => keys.revoke(key),
    suspend: (key) => keys.suspend(key),
    answer: (operation, handler) => void handlers.set(operation, handler),
    async stop(service) {
      await stops.get(service)?.();
      stops.delete(service);
    },
    start(service) {
      const names = Object.keys(operationsOf[service]);
      const served = Object.fromEntries(names.map((name) => [name, serverOf(name)]));
      stops.set(service, bus.serve(service, served));
    },
    close: () => bus.close(),
  };
  for (const service of Object.keys(operationsOf) as ServiceName[]) stubs.start(service);
  await bus.link.nats.flush();
  return stubs;
}

/** The API keys that the stub of the users service accepts. */
class TestKeys {
  readonly #keys = new Map<string, TestKey>();
  readonly #suspended = new Set<string>();

  make(settings: Partial<TestKey> = {}): TestKey {
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
    this.#keys.set(hash('sha256', key.apiKey), key);
    return key;
  }

  revoke({ apiKey }: TestKey): void {
    this.#keys.delete(hash('sha256', apiKey));
  }

  suspend({ workspaceId }: TestKey): void {
    this.#suspended.add(workspaceId);
  }

  readonly verify: StubHandler = ({ input }) => {
    const key = this.#keys.get((input as { sha256: string }).sha256);
    if (key && this.#suspended.has(key.workspaceId)) return workspaceSuspended();
    if (!key) return new Fault('unauthenticated', 'No such key.');
    const { apiKey: _, ...verified } = key;
    return verified;
  };
}
