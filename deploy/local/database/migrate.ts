import { NotYet } from '@roster/process';
import { migrationScript } from '@roster/storage';

import { migrations, patienceMs, reasonOf, withDatabase } from './with-database.js';

/**
 * Brings the schemas of these services up to date, each independently: a failure of one does not stop the others.
 *
 * @returns the applied migrations by service
 * @throws MigrationError when PostgreSQL is unavailable for half a minute; immediately for errors that waiting does not resolve
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

/** At least one schema could not be migrated. The message has one line per problem, with the services concerned. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  /** Applied migrations of the services that could be migrated. */
  readonly applied: Readonly<Record<string, string[]>>;

  constructor(applied: Record<string, string[]>, failed: ReadonlyMap<string, Error>) {
    const byProblem = Map.groupBy(failed, ([service, error]) => problemOf(service, error));
    // A problem of all services is reported without their names: it is usually one of the server.
    const isGeneral = byProblem.size === 1 && Object.keys(applied).length === 0;
    const lines = [...byProblem].map(([problem, services]) =>
      isGeneral ? problem : `${services.map(([service]) => service).join(', ')}: ${problem}`,
    );
    super(lines.join('\n'));
    this.applied = applied;
  }
}

/** Any error as one line. */
function problemOf(service: string, error: Error): string {
  if (error instanceof NotYet) return error.message;
  return `The schema ${service} could not be migrated: ${reasonOf(error)}. Correct that, then run roster migrate ${service} again.`;
}

/** The SQL that `migrate` would run: the pending migrations of the database, or all migrations without a database. */
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
