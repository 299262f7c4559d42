import { openLog } from '@roster/process';
import { openDatabase } from '@roster/storage';
import { throwawayDatabase } from '@roster/testing';
import test from 'ava';
import { entities } from '../entities/index.js';
import { migrations } from '../migrations/index.js';
import { schema } from '../service.js';

const log = openLog('users', 'silent');

test('migrates once, whether processes start sequentially or concurrently', async (t) => {
  const postgres = await throwawayDatabase();
  t.teardown(() => postgres.drop());
  const { url } = postgres;
  const open = async () => {
    const database = await openDatabase({ url, schema, poolMax: 2, entities, migrations, log });
    t.teardown(() => database.close());
    return database;
  };
  await Promise.all([open(), open(), open()]);
  const last = await open();
  const done = await last.query<{ name: string }>(
    { name: 'test.migrations', text: `select name from users.migrations order by id` },
    [],
  );
  t.deepEqual(
    done.map(({ name }) => name),
    migrations.map(({ name }) => name),
  );
});
