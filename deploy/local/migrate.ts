import { NotYet, openLog, waitFor } from '@roster/service';
import { Database, migrationScript } from '@roster/service/storage';

import { migrations } from './migrations.js';

/** How long PostgreSQL may take to come up. */
const patienceMs = 30_000;

/**
 * Brings the schemas of these services up to date, each as far as it goes: one that fails does not stop the others.
 *
 * @returns what was applied, by service
 * @throws MigrationError when PostgreSQL is not there for half a minute; at once for what does not pass by itself
 */
export async function migrate(
  url: string,
  services: readonly string[],
): Promise<Record<string, string[]>> {
  const applied: Record<string, string[]> = {};
  const failed = new Map<string, Error>();
  const deadline = performance.now() + patienceMs;
  for (const service of services) {
    try {
      applied[service] = await withDatabase(url, service, deadline, (database) =>
        database.migrate(),
      );
    } catch (error) {
      failed.set(service, error as Error);
    }
  }
  if (failed.size > 0) throw new MigrationError(applied, failed);
  return applied;
}

/** Not every schema could be migrated. The message has a line for each problem, with the services that have it. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  /** What was applied, of the services that could be migrated. */
  readonly applied: Readonly<Record<string, string[]>>;

  constructor(applied: Record<string, string[]>, failed: ReadonlyMap<string, Error>) {
    const byProblem = Map.groupBy(failed, ([service, error]) => problemOf(service, error));
    // What keeps every service from it is no matter of one: the server's, most often.
    const isGeneral = byProblem.size === 1 && Object.keys(applied).length === 0;
    const lines = [...byProblem].map(([problem, services]) =>
      isGeneral ? problem : `${services.map(([service]) => service).join(', ')}: ${problem}`,
    );
    super(lines.join('\n'));
    this.applied = applied;
  }
}

/** In one line, whatever it was. */
function problemOf(service: string, error: Error): string {
  if (error instanceof NotYet) return error.message;
  const [reason] = innermost(error).message.split('\n');
  return `The schema ${service} could not be migrated: ${reason}. Correct that, then run roster migrate ${service} again.`;
}

/** The driver's own error: MikroORM wraps it in one with the whole statement. */
function innermost(error: Error): Error {
  const { previous, cause } = error as Error & { previous?: unknown };
  const inner = previous ?? cause;
  return inner instanceof Error ? innermost(inner) : error;
}

/** The SQL that `migrate` would run: what the database lacks, or everything where no database is named. */
export async function printMigrations(
  url: string | undefined,
  services: readonly string[],
): Promise<string> {
  const scripts = ['\\set ON_ERROR_STOP on\n'];
  for (const service of services) {
    const all = migrations[service]!;
    const names = url
      ? await withDatabase(url, service, performance.now() + patienceMs, (database) =>
          database.pending(),
        )
      : all.map(({ name }) => name);
    const pending = all.filter(({ name }) => names.includes(name));
    scripts.push(
      pending.length > 0
        ? await migrationScript(service, pending)
        : `-- ${service}: nothing to do\n`,
    );
  }
  return scripts.join('\n');
}

async function withDatabase<T>(
  url: string,
  schema: string,
  deadline: number,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await Database.open({
    url,
    schema,
    // One holds the lock, the other migrates.
    poolMax: 2,
    entities: [],
    migrations: migrations[schema]!,
    log: openLog('migrate', 'silent'),
  });
  try {
    return await waitFor(() => work(database), {
      // What is given up for is said at the end.
      onReason: () => {},
      givesUp: ({ passing }) => !passing || performance.now() > deadline,
    });
  } finally {
    await database.close();
  }
}
