import test from 'ava';
import pg from 'pg';

import { throwawayDatabase } from '../index.js';

test('a database from a template has what the template was filled with, once, and changes no other', async (t) => {
  let fills = 0;
  const run = async (url: string, statement: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(statement);
    await client.end();
    return rows as unknown;
  };
  const template = {
    name: 'of_this_test',
    async fill(url: string) {
      fills += 1;
      await run(url, 'CREATE TABLE mark AS SELECT 1 AS n');
    },
  };
  const copies = await Promise.all([1, 2, 3].map(() => throwawayDatabase(template)));
  t.teardown(() => Promise.all(copies.map(({ drop }) => drop())));
  await run(copies[0]!.url, 'UPDATE mark SET n = 2');
  for (const [at, { url }] of copies.entries())
    t.deepEqual(await run(url, 'SELECT n FROM mark'), [{ n: at === 0 ? 2 : 1 }]);
  if (process.env['ROSTER_TEST_TEMPLATES']) t.is(fills, 1);
});

test('each database is separate, and is dropped even while sessions are connected to it', async (t) => {
  const [one, other] = await Promise.all([throwawayDatabase(), throwawayDatabase()]);
  const client = new pg.Client({ connectionString: one.url });
  const lost = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  await client.query('CREATE TABLE mark (n int)');

  const otherClient = new pg.Client({ connectionString: other.url });
  await otherClient.connect();
  await t.throwsAsync(otherClient.query('SELECT * FROM mark'), { message: /does not exist/ });
  await otherClient.end();

  await one.drop();
  await lost;
  await t.throwsAsync(new pg.Client({ connectionString: one.url }).connect());
  await other.drop();
});
