import type { Migration } from '@mikro-orm/migrations';
import { NotYet } from '@roster/process';

/** A migration of the schema of a service. */
export interface SchemaMigration {
  /** Sorts after all earlier names. Must not be changed once released. */
  name: string;
  class: MigrationClass;
  /**
   * The migration that a release must include to run on the resulting schema. Only a contracting migration declares it, which
   * removes structures that earlier releases use.
   */
  requires?: string;
}

type MigrationClass = new (
  ...args: ConstructorParameters<typeof Migration>
) => Migration & { up(): Promise<void> | void };

/** Runs a statement outside of transactions. */
export type Query = <Row>(text: string) => Promise<Row[]>;

/** Migrations that the schema lacks for this release, and required ones that this release does not include. */
export interface SchemaState {
  missing: string[];
  unknown: string[];
  /** Its tables, if no migration of this service created them. */
  foreign: string[];
}

/** The tables that record the migrations of a service. */
const accounts = ['migrations', 'required_migrations'];

export async function readSchemaState(
  query: Query,
  schema: string,
  migrations: readonly SchemaMigration[],
): Promise<SchemaState> {
  const tables = await query<{ name: string; has_names: boolean }>(
    `select relname as name, exists (
       select from pg_attribute where attrelid = pg_class.oid and attname = 'name' and not attisdropped
     ) as has_names
     from pg_class where relnamespace = (select oid from pg_namespace where nspname = '${schema}')
     and relkind in ('r', 'p') order by relname`,
  );
  const namesIn = async (table: string) => {
    if (!tables.some(({ name, has_names: hasNames }) => name === table && hasNames)) return [];
    const rows = await query<{ name: string }>(`select name from "${schema}".${table}`);
    return rows.map(({ name }) => name);
  };
  const [applied, required] = [await namesIn('migrations'), await namesIn('required_migrations')];
  const known = migrations.map(({ name }) => name);
  const isOwn = required.length > 0 || known.some((name) => applied.includes(name));
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown: required.filter((name) => !known.includes(name)),
    foreign: isOwn
      ? []
      : tables
          .filter(({ name, has_names: hasNames }) => !(hasNames && accounts.includes(name)))
          .map(({ name }) => name),
  };
}

/** The service determines the schema name; it is not configurable. */
export const schemaForeign = (schema: string, { foreign }: SchemaState): NotYet =>
  new NotYet(
    `DATABASE_URL: The schema ${schema} holds tables that are not Roster's (${listed(foreign)}). ` +
      'Name a database of its own, or rename that schema.',
    { passing: false },
  );

const listedMax = 5;
const listed = (names: readonly string[]): string =>
  names.length > listedMax
    ? `${names.slice(0, listedMax).join(', ')} and ${names.length - listedMax} more`
    : names.join(', ');

export const schemaTooNew = (schema: string, { unknown }: SchemaState): NotYet =>
  new NotYet(
    `The schema ${schema} is too new: it requires a release that includes ${unknown.join(', ')}. ` +
      'Run such a release, or restore the database of this one.',
    { passing: false },
  );

export const schemaTooOld = (schema: string, { missing }: SchemaState): NotYet =>
  new NotYet(
    `The schema ${schema} is too old: it lacks ${missing.join(', ')}. Run roster migrate ${schema}.`,
    { passing: false },
  );

/** Key of the advisory lock for migrations. */
export const migrationLock = (schema: string): string => `hashtext('roster:migrate:${schema}')`;

export const beingMigrated = (schema: string): string =>
  `Another session is migrating the schema ${schema}. Wait for it, or terminate the session that holds the advisory lock (pg_locks).`;

/** Converts migrations for the migrator. A requirement is recorded in the transaction of its migration. */
export const withRequirements = (
  schema: string,
  migrations: readonly SchemaMigration[],
): SchemaMigration[] =>
  migrations.map((migration) => {
    const { name, class: Plain, requires } = migration;
    if (requires === undefined) return migration;
    const statements = requirement(schema, requires);
    return {
      name,
      class: class extends Plain {
        override async up(): Promise<void> {
          await super.up();
          for (const statement of statements) this.addSql(statement);
        }
      },
    };
  });

const requirement = (schema: string, name: string): string[] => [
  `create table if not exists "${schema}".required_migrations (name text primary key)`,
  `insert into "${schema}".required_migrations (name) values ('${name}') on conflict do nothing`,
];
