import { randomUUID } from 'node:crypto';
import { encodeId, Fault, operationsOf, type Operation, type ServiceName } from '@roster/contracts';
import type { ExecutionContext } from 'ava';
import { callAs } from './call-as.js';
import { eventually } from './eventually.js';
import { sampleInput } from './sample-input.js';
import { TcpProxy, type ProxyMode } from './tcp-proxy.js';
import { throwawayDatabase } from './throwaway-database.js';

type Handle = (calls: object[]) => Promise<unknown[]>;

/** A service on a database, without a bus. */
export interface ServedDatabase {
  handlers: Record<string, unknown>;
  database: { ping(): Promise<unknown>; close(): Promise<void> };
}

interface Options {
  service: ServiceName;
  /** Input of operations of which `sampleInput` finds none. */
  inputs?: Record<string, object>;
  /** Given a URL whose pool has two connections; a silent server is to be noticed soon. */
  open(url: string): Promise<ServedDatabase>;
}

interface Loss {
  mode: ProxyMode;
  /** Nothing was sent, or nobody knows what has happened. */
  fault: 'unavailable' | 'timeout';
}

const losses: Loss[] = [
  { mode: 'refuse', fault: 'unavailable' },
  { mode: 'ignore', fault: 'unavailable' },
  { mode: 'reset', fault: 'unavailable' },
  { mode: 'break', fault: 'timeout' },
  { mode: 'silence', fault: 'timeout' },
];

/** Asks every operation of a service while its database is away, in every way, and compares the faults. */
export async function checkDatabaseFaults(
  t: ExecutionContext,
  { service, inputs = {}, open }: Options,
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
    const handle = served.handlers[operation.name] as Handle;
    const input = operation.input.parse(inputs[operation.name] ?? sampleInput(operation));
    for (const { mode, fault } of losses) {
      await proxy.setMode('forward');
      await eventually(isThere);
      await proxy.setMode(mode);
      // Until the pool has noticed that its connections are gone.
      if (fault === 'unavailable') await eventually(async () => !(await isThere()));
      const [answer] = await handle([{ ...callAs(caller), input }]).catch((error) => [error]);
      const found = answer instanceof Fault ? answer.code : answer;
      t.is(found, fault, `${operation.name}: ${mode}`);
    }
  }
}

const caller = {
  workspaceId: encodeId('workspace', randomUUID()),
  userId: encodeId('user', randomUUID()),
};
