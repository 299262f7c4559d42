import { once } from 'node:events';
import { throwawayDatabase } from '@roster/testing';
import test from 'ava';
import pg from 'pg';
import { connectionOf, isIdle } from '../../database/server-client.js';

const whatToDo = 'this version of pg lacks it: change libs/storage/database/server-client.ts';

test('a client of pg has its connection with its stream, its errors, and whether it is idle', async (t) => {
  const database = await throwawayDatabase();
  t.teardown(() => database.drop());
  const client = new pg.Client(database.url);
  t.teardown(() => client.end());
  await client.connect();
  t.is(typeof connectionOf(client)?.stream?.destroy, 'function', whatToDo);
  t.true(isIdle(client), whatToDo);
  const reported = once(connectionOf(client), 'errorMessage');
  const failed = t.throwsAsync(client.query('select missing'));
  t.false(isIdle(client), whatToDo);
  const [{ code }] = (await reported) as [{ code?: string }];
  t.is(code, '42703', whatToDo);
  await failed;
});
