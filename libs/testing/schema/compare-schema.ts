import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { compareRecorded } from '../compare-recorded.js';
import { dumpSchema } from './dump-schema.js';
import { schemaDifference, type Entities } from './schema-difference.js';

export interface MigratedSchema {
  /** URL of a database to which all migrations were applied. */
  url: string;
  schema: string;
  entities: Entities;
  /** The file of the recorded schema. */
  recorded: URL;
}

/** Asserts that the migrations of a service result in the tables of its entities and in the committed schema. */
export async function compareSchema(t: ExecutionContext, migrated: MigratedSchema): Promise<void> {
  const { url, schema, entities, recorded } = migrated;
  t.is(await schemaDifference(url, schema, entities), '', 'tables match their entities');
  const dumped = await dumpSchema(url, schema);
  compareRecorded(t, fileURLToPath(recorded), `${header}\n\n${dumped}`);
}

const header = '-- The schema after all migrations. `npm run record` writes it.';
