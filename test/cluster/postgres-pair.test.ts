import { temporaryDirectory } from '@roster/testing';
import test from 'ava';
import pg from 'pg';
import { startPostgresPair } from './postgres-pair.js';

test('a commit that the primary confirmed is on the standby, which accepts writes after its promotion', async (t) => {
  const dataDir = await temporaryDirectory(t);
  const { primary, standby, promote } = await startPostgresPair({ dataDir });
  t.teardown(() => Promise.all([primary.stop(), standby.stop()]));

  await query(primary.url, 'CREATE TABLE kept (id int)');
  await t.throwsAsync(query(standby.url, 'INSERT INTO kept VALUES (0)'), { message: /read-only/ });
  await query(primary.url, 'INSERT INTO kept SELECT generate_series(1, 1000)');
  primary.kill('SIGKILL');
  await primary.exited;

  await promote();
  await query(standby.url, 'INSERT INTO kept VALUES (1001)');
  t.deepEqual(await query(standby.url, 'SELECT count(*)::int FROM kept'), [{ count: 1001 }]);
});

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
