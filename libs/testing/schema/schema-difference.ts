import { MikroORM, SchemaGenerator, type Options } from '@mikro-orm/postgresql';

export type Entities = NonNullable<Options['entities']>;

/**
 * The SQL that would make the tables of a schema match its entities; empty if they match. Compares columns with their
 * types, defaults and collations, primary and foreign keys, unique and check constraints, and indexes, including
 * partial ones.
 *
 * Only compared with the recorded schema, because entities cannot express it or the ORM does not compare it:
 * - partitions, which are created while the service runs, and must be listed in an entity;
 * - triggers, which have transition tables, and their functions: the ORM creates a function for each of its own
 * triggers;
 * - other functions;
 * - storage parameters (`fillfactor`) and the names of primary keys.
 */
export async function schemaDifference(
  url: string,
  schema: string,
  entities: Entities,
): Promise<string> {
  const orm = await MikroORM.init({
    clientUrl: url,
    ensureDatabase: false,
    schema,
    entities,
    extensions: [SchemaGenerator],
    schemaGenerator: {
      ignoreTriggers: true,
      ignoreRoutines: true,
      // Tables of the migrator.
      skipTables: ['migrations', 'required_migrations'],
    },
  });
  try {
    const sql = await orm.schema.getUpdateSchemaSQL({ wrap: false, schema });
    return sql.trim();
  } finally {
    await orm.close(true);
  }
}
