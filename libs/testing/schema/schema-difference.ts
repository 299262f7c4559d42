import { MikroORM, SchemaGenerator, type Options } from '@mikro-orm/postgresql';

export type Entities = NonNullable<Options['entities']>;

/**
 * The SQL that would make a schema's tables what its entities say; empty where they are the same: columns with their types,
 * defaults and collations, primary and foreign keys, unique and check constraints, indexes, partial ones too.
 *
 * What entities cannot express, or the ORM does not compare, is compared with the recorded schema alone:
 * - partitions, which are made while the service runs, and must be listed in an entity;
 * - triggers, which have transition tables, and their functions: the ORM makes a function for each of its own;
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
      // The migrator's.
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
