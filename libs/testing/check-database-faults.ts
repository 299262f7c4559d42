import { checkFaults, type CheckedService } from './check-faults.js';
import { eventually } from './eventually.js';
import { throwawayDatabase } from './throwaway-database.js';

/** A service with a database, without a bus. */
export interface ServedDatabase {
  handlers: Record<string, unknown>;
  database: { ping(): Promise<unknown>; close(): Promise<void> };
}

interface Options extends CheckedService {
  /** The pool must have two connections, and the time-out for a silent server must be short. */
  open(url: string): Promise<ServedDatabase>;
  /** Names of operations that do not use the database. */
  independent?: readonly string[];
}

/**
 * Calls every operation of a service during every kind of database outage. Expects the fault `unavailable`, and `timeout` from a
 * write whose statement was sent: its outcome is unknown.
 */
export async function checkDatabaseFaults(
  t: CheckedService['t'],
  { open, independent = [], ...service }: Omit<Options, 't'>,
): Promise<void> {
  const postgres = await throwawayDatabase();
  t.teardown(() => postgres.drop());
  const { hostname, port, username, password, pathname } = new URL(postgres.url);
  await checkFaults({
    ...service,
    t,
    server: { host: hostname, port: Number(port) },
    async open(proxyPort) {
      const url = `postgres://${username}:${password}@127.0.0.1:${proxyPort}${pathname}?connect_timeout=0.3`;
      // On a loaded machine, connecting may take longer.
      const { handlers, database } = await eventually(() => open(url));
      t.teardown(() => database.close());
      const isThere = () =>
        database.ping().then(
          () => true,
          () => false,
        );
      return { handlers, isThere };
    },
    expected({ name, access }, isSent) {
      if (independent.includes(name)) return undefined;
      return isSent && access === 'write' ? 'timeout' : 'unavailable';
    },
  });
}
