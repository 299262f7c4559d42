import { randomUUID } from 'node:crypto';
import { encodeId, Fault, operationsOf, type Operation, type ServiceName } from '@roster/contracts';
import type { ExecutionContext } from 'ava';
import { callAs } from './call-as.js';
import { eventually } from './eventually.js';
import { sampleInput } from './sample-input.js';
import { TcpProxy, type ProxyMode } from './tcp-proxy.js';
import { throwawayDatabase } from './throwaway-database.js';

/** `handleBatch` of libs/bus, on which this package cannot depend. */
type HandleBatch = (operation: Operation, calls: never[], handler: never) => Promise<unknown[]>;

/** A service with a database, without a bus. */
export interface ServedDatabase {
  handlers: Record<string, unknown>;
  database: { ping(): Promise<unknown>; close(): Promise<void> };
}

interface Options {
  service: ServiceName;
  handleBatch: HandleBatch;
  /** Input of the operations for which `sampleInput` finds none. */
  inputs?: Record<string, object>;
  /** The pool must have two connections, and the time-out for a silent server must be short. */
  open(url: string): Promise<ServedDatabase>;
}

interface Outage {
  mode: ProxyMode;
  /** Whether the statement is sent before the connection fails: a write then has an unknown outcome. */
  sent: boolean;
}

const outages: Outage[] = [
  { mode: 'refuse', sent: false },
  { mode: 'ignore', sent: false },
  { mode: 'reset', sent: false },
  { mode: 'break', sent: true },
  { mode: 'silence', sent: true },
];

/** Calls every operation of a service during every kind of database outage, and compares the faults. */
export async function checkDatabaseFaults(
  t: ExecutionContext,
  { service, handleBatch, inputs = {}, open }: Options,
): Promise<void> {
  const postgres = await throwawayDatabase();
  t.teardown(() => postgres.drop());
  const { hostname, port, username, password, pathname } = new URL(postgres.url);
  const proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
  t.teardown(() => proxy.stop());
  const served = await open(
    `postgres://${username}:${password}@127.0.0.1:${proxy.port}${pathname}?connect_timeout=0.3`,
  );
  t.teardown(() => served.database.close());
  const isThere = () =>
    served.database.ping().then(
      () => true,
      () => false,
    );
  for (const operation of Object.values(operationsOf[service]) as Operation[]) {
    const input = operation.input.parse(inputs[operation.name] ?? sampleInput(operation));
    for (const { mode, sent } of outages) {
      await proxy.setMode('forward');
      await eventually(isThere);
      await proxy.setMode(mode);
      // Until the pool has noticed that its connections are closed.
      if (!sent) await eventually(async () => !(await isThere()));
      const call = { ...callAs(caller), input };
      const handler = served.handlers[operation.name];
      const [answer] = await handleBatch(operation, [call as never], handler as never);
      const found = answer instanceof Fault ? answer.code : answer;
      const expected = sent && operation.access === 'write' ? 'timeout' : 'unavailable';
      t.is(found, expected, `${operation.name}: ${mode}`);
    }
  }
}

const caller = {
  workspaceId: encodeId('workspace', randomUUID()),
  userId: encodeId('user', randomUUID()),
};
