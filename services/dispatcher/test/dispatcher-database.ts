import { openLog } from '@roster/process';
import { openDatabase, type Database } from '@roster/storage';
import { throwawayDatabase } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { entities } from '../entities/index.js';
import { migrations } from '../migrations/index.js';
import { schema } from '../service.js';

/** The migrated database. */
export const template = {
  name: schema,
  async fill(url: string) {
    const log = openLog(schema, 'silent');
    await (await openDatabase({ url, schema, poolMax: 2, entities, migrations, log })).close();
  },
};

/** A migrated database of its own for a test, without a running dispatcher. */
export async function dispatcherDatabase(
  t: ExecutionContext,
  { poolMax = 4, ...options }: { poolMax?: number; observe?: (statement: string) => void } = {},
): Promise<Database> {
  const { url, drop } = await throwawayDatabase(template);
  const log = openLog('dispatcher', 'silent');
  const all = { ...options, url, schema, poolMax, entities, migrations, log };
  const database = await openDatabase(all);
  t.teardown(async () => {
    await database.close();
    await drop();
  });
  return database;
}
