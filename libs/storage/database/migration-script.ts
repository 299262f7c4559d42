import { beingMigrated, migrationLock, withRequirements, type SchemaMigration } from './schema.js';

/** As the migrator of MikroORM creates it. */
const migrationsTable = (schema: string) => `create table if not exists "${schema}"."migrations" (
  "id" serial primary key,
  "name" varchar(255) not null,
  "executed_at" timestamptz(6) not null default current_timestamp(6)
)`;

/**
 * SQL with the effect of the migrator, to be applied with psql or any other tool that stops at the first error. Each
 * migration is recorded in its transaction, so that the migrator sees it as applied.
 */
export async function migrationScript(
  schema: string,
  migrations: readonly SchemaMigration[],
): Promise<string> {
  const names = migrations.map(({ name }) => name);
  const lock = migrationLock(schema);
  const isApplied = `exists (select from "${schema}"."migrations" where "name" in ('${names.join(`', '`)}'))`;
  const lines = [
    `-- ${schema}: ${names.join(', ')}`,
    // A statement that waits for the lock would block the concurrent index build of the session that holds it.
    refusal(`not pg_try_advisory_lock(${lock})`, beingMigrated(schema)),
    `create schema if not exists "${schema}";`,
    `${migrationsTable(schema)};`,
    refusal(
      isApplied,
      `The schema ${schema} was migrated after this script was printed. Print it again.`,
    ),
    '',
  ];
  for (const migration of withRequirements(schema, migrations)) {
    const { statements, inTransaction } = await sqlOf(migration);
    const written = `insert into "${schema}"."migrations" ("name") values ('${migration.name}')`;
    lines.push(
      `-- ${migration.name}`,
      ...(inTransaction ? ['begin;'] : []),
      ...[...statements, written].map((statement) => `${statement};`),
      ...(inTransaction ? ['commit;'] : []),
      '',
    );
  }
  lines.push(`select pg_advisory_unlock(${lock});`, '');
  return lines.join('\n');
}

/** Works in tools that do not support `\if` of psql. */
const refusal = (condition: string, message: string): string =>
  `do $$ begin if ${condition} then raise exception '${message}'; end if; end $$;`;

/** Collects the statements of a migration, without a database. */
export async function sqlOf({ class: Step, name }: SchemaMigration): Promise<{
  statements: string[];
  inTransaction: boolean;
}> {
  const step = new Step(undefined as never, undefined as never);
  await step.up();
  const statements = step.getQueries().map((query) => {
    if (typeof query !== 'string')
      throw new Error(`${name} contains statements that are not plain SQL text.`);
    return query;
  });
  return { statements, inTransaction: step.isTransactional() };
}
