import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { dumpSchema } from './dump-schema.js';
import { schemaDifference, type Entities } from './schema-difference.js';

export interface MigratedSchema {
  /** URL of a database to which all migrations were applied. */
  url: string;
  schema: string;
  entities: Entities;
  /** The recorded schema. RECORD_SCHEMA=1 writes it again. */
  recorded: URL;
}

/** Asserts that the migrations of a service result in the tables of its entities and in the committed schema. */
export async function compareSchema(t: ExecutionContext, migrated: MigratedSchema): Promise<void> {
  const { url, schema, entities, recorded } = migrated;
  t.is(await schemaDifference(url, schema, entities), '', 'tables match their entities');
  const dumped = `-- The schema after all migrations. Recorded by RECORD_SCHEMA=1 npm test -- services/${schema}/test/schema.test.ts\n\n${await dumpSchema(url, schema)}`;
  if (process.env['RECORD_SCHEMA'] === '1') await writeFile(recorded, dumped);
  t.is(
    dumped,
    await readFile(recorded, 'utf8'),
    `${fileURLToPath(recorded)} is the schema after all migrations`,
  );
}
