import test from 'ava';
import pg from 'pg';

import { throwawayDatabase } from '../index.js';

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
