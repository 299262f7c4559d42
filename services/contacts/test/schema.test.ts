import { openLog } from '@roster/process';
import { openDatabase } from '@roster/storage';
import { throwawayDatabase } from '@roster/testing';
import { compareSchema } from '@roster/testing/schema';
import test from 'ava';
import { entities } from '../entities/index.js';
import { migrations } from '../migrations/index.js';
import { schema } from '../service.js';

const recorded = new URL('../../migrations/schema.sql', import.meta.url);

test('the migrations create the tables of the entities and the recorded schema', async (t) => {
  const postgres = await throwawayDatabase();
  t.teardown(() => postgres.drop());
  const { url } = postgres;
  const log = openLog(schema, 'silent');
  const database = await openDatabase({ url, schema, poolMax: 2, entities, migrations, log });
  await database.close();
  await compareSchema(t, { url, schema, entities, recorded });
});
