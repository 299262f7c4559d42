import { openLog } from '@roster/service';
import { openDatabase, type Database } from '@roster/service/storage';
import { throwawayDatabase } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { entities } from '../entities/index.js';
import { migrations } from '../migrations/index.js';
import { schema } from '../service.js';

/** A migrated database of its own for a test, without a running dispatcher. */
export async function dispatcherDatabase(t: ExecutionContext, poolMax = 4): Promise<Database> {
  const { url, drop } = await throwawayDatabase();
  const log = openLog('dispatcher', 'silent');
  const database = await openDatabase({ url, schema, poolMax, entities, migrations, log });
  t.teardown(async () => {
    await database.close();
    await drop();
  });
  return database;
}
