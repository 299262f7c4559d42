import { flag } from '@roster/process';
import { z } from 'zod';

import { parseDatabaseUrl } from './database/address.js';

/** Environment variables of processes with a database. */
export const databaseConfig = z.object({
  DATABASE_URL: z
    .string()
    .trim()
    .superRefine(checkDatabaseUrl)
    .meta({ description: 'postgres://user:password@host:port/database' }),
  DATABASE_POOL_MAX: z.coerce.number().int().min(2).default(10),
  /** Whether to migrate the schema at boot, or to wait for `roster migrate`. */
  MIGRATE: flag.default(true),
});

function checkDatabaseUrl(url: string, context: z.RefinementCtx): void {
  try {
    parseDatabaseUrl(url);
  } catch (error) {
    context.addIssue((error as Error).message);
  }
}
