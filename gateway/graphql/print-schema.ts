import { lexicographicSortSchema, printSchema } from 'graphql';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildRosterSchema } from './build-schema.js';

export const schemaFile = fileURLToPath(new URL('../../schema.graphql', import.meta.url));

/** The schema in its committed form: sorted, for small diffs. */
export const printedSchema = (): string =>
  `${printSchema(lexicographicSortSchema(buildRosterSchema()))}\n`;

// `npm run schema -w gateway`
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(schemaFile, printedSchema());
