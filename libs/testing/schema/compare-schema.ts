import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { dumpSchema } from './dump-schema.js';
import { schemaDifference, type Entities } from './schema-difference.js';

export interface MigratedSchema {
  /** Of a database to which all migrations were applied. */
  url: string;
  schema: string;
  entities: Entities;
  /** What the migrations are known to make. With RECORD_SCHEMA=1 it is written anew. */
  recorded: URL;
}

/** That the migrations of a service make the tables of its entities, and the schema that is committed. */
export async function compareSchema(t: ExecutionContext, migrated: MigratedSchema): Promise<void> {
  const { url, schema, entities, recorded } = migrated;
  t.is(await schemaDifference(url, schema, entities), '', 'tables are what the entities say');
  const made = `-- What the migrations make. Recorded by RECORD_SCHEMA=1 npm test -- services/${schema}/test/schema.test.ts\n\n${await dumpSchema(url, schema)}`;
  if (process.env['RECORD_SCHEMA'] === '1') await writeFile(recorded, made);
  t.is(made, await readFile(recorded, 'utf8'), `${fileURLToPath(recorded)} is what they make`);
}
