import {
  Fault,
  operationsOf,
  systemCaller,
  type Caller,
  type ServiceName,
} from '@roster/contracts';
import { throwawayNats, type ThrowawayNats } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import {
  connectBus,
  Json,
  steadyNow,
  type Bus,
  type BusLog,
  type BusObserver,
  type Call,
  type CallContext,
  type Handler,
  type HandlerTable,
} from '../index.js';

export const silent: BusLog = {
  debug: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Starts a NATS server for one test, and stops it when the test ends. */
export async function natsFor(t: ExecutionContext): Promise<ThrowawayNats> {
  const nats = await throwawayNats();
  t.teardown(() => nats.stop());
  return nats;
}

/** A connection to the server, closed when the test ends. */
export async function busFor(
  t: ExecutionContext,
  nats: { url: string },
  observer?: BusObserver,
): Promise<Bus> {
  const bus = await connectBus({
    servers: nats.url,
    name: 'test',
    log: silent,
    ...(observer ? { observer } : {}),
  });
  t.teardown(() => bus.close());
  return bus;
}

type SomeHandlers<Service extends ServiceName> = Partial<
  Record<keyof (typeof operationsOf)[Service], (calls: Call<never>[]) => Promise<unknown[]>>
>;

/** Handlers of a service that all refuse, except those given. */
export function handlersOf<Service extends ServiceName>(
  service: Service,
  some: SomeHandlers<Service>,
) {
  const refuse: Handler = async (calls) => calls.map(() => new Fault('internal', 'not under test'));
  const names = Object.keys(operationsOf[service]);
  return {
    ...Object.fromEntries(names.map((name) => [name, refuse])),
    ...some,
  } as unknown as HandlerTable<Service>;
}

export const contactsHandlers = (some: SomeHandlers<'contacts'>) => handlersOf('contacts', some);

/** A contact whose ID is the request ID. */
export const found = (call: Call): Json =>
  new Json(JSON.stringify({ contact: { id: call.requestId } }));

/** May call every operation, and has no workspace. */
export const anyCaller: Caller = { ...systemCaller, scopes: ['api_user', 'user'] };

export const within = (timeoutMs: number, more: Partial<CallContext> = {}): CallContext => ({
  caller: anyCaller,
  requestId: 'test',
  deadline: steadyNow() + timeoutMs,
  ...more,
});

export const contactId = 'cont_01h455vb4pex5vsknk084sn02q';

/** The fault code of a call, or 'ok'. */
export const outcomeOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'ok',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  );
