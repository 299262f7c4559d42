import { NotYet, openLog, waitFor } from '@roster/process';
import { Database, type SchemaMigration } from '@roster/storage';
import { migrations as contacts } from '@roster/contacts/migrations';
import { migrations as dispatcher } from '@roster/dispatcher/migrations';
import { migrations as users } from '@roster/users/migrations';
import { migrations as webhooks } from '@roster/webhooks/migrations';

/** How long to wait for PostgreSQL to start. */
export const patienceMs = 30_000;

/**
 * Opens the database with the migrations of a service, and repeats `work` while it throws NotYet.
 *
 * @throws NotYet after the deadline (performance.now), or immediately for a reason that waiting does not resolve
 */
export async function withDatabase<T>(
  url: string,
  service: string,
  deadline: number,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await Database.open({
    url,
    schema: service,
    // One connection holds the lock, the other migrates.
    poolMax: 2,
    entities: [],
    migrations: migrations[service]!,
    log: openLog('migrate', 'silent'),
  });
  try {
    return await waitFor(() => work(database), {
      // The reason for giving up is reported at the end.
      onReason: () => {},
      givesUp: ({ passing }) => !passing || performance.now() > deadline,
    });
  } finally {
    await database.close();
  }
}

/** One line for the error of a statement: that of the driver, which MikroORM wraps in one with the whole statement. */
export function reasonOf(error: Error): string {
  if (error instanceof NotYet) return error.message;
  const { previous, cause } = error as Error & { previous?: unknown };
  const inner = previous ?? cause;
  return inner instanceof Error ? reasonOf(inner) : error.message.split('\n')[0]!;
}

/** The migrations of every service that owns data, by service name, which is also the schema name. */
export const migrations: Record<string, readonly SchemaMigration[]> = {
  contacts,
  users,
  webhooks,
  dispatcher,
};
