import { flag } from '@roster/process';
import { z } from 'zod';

import { parseDatabaseUrl } from './database/address.js';

/** Environment variables of processes with a database. */
export const databaseConfig = z.object({
  DATABASE_URL: z.string().trim().superRefine(checkDatabaseUrl).meta({
    description:
      '`postgres://user:password@host:port/database`, with the parameters of node-postgres (`sslmode=verify-full`, `sslrootcert`, …) and `connect_timeout` (seconds for each server, 3 by default). Several hosts are separated by commas: the one that accepts writes is used',
    setTo: 'postgres://user:password@host:port/database',
  }),
  DATABASE_POOL_MAX: z.coerce
    .number()
    .int()
    .min(2)
    .default(10)
    .describe('Maximum number of connections, at least 2: one is reserved for single statements'),
  MIGRATE: flag
    .default(true)
    .describe(
      '`false`: wait until the schema has the migrations of this release, instead of applying them',
    ),
});

function checkDatabaseUrl(url: string, context: z.RefinementCtx): void {
  try {
    parseDatabaseUrl(url);
  } catch (error) {
    context.addIssue((error as Error).message);
  }
}
