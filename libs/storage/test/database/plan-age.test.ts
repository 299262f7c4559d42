import { throwawayDatabase } from '@roster/testing';
import test from 'ava';
import pg from 'pg';
import { planByKey } from '../../database/preambles/planner.js';
import { sendPreambles } from '../../database/preambles/preamble.js';

const find = {
  name: 'find',
  text: `
    select name from unnest($1::int[]) as requested (id), lateral (
      select * from things t where t.owner = 1 and t.id = requested.id offset 0
    ) t`,
};
const ids = Array.from({ length: 16 }, (_, at) => at);

test('a statement planned for a table with one row is planned again five seconds after an import', async (t) => {
  const { url, drop } = await throwawayDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(async () => {
    await client.end();
    await drop();
  });
  let now = 0;
  sendPreambles(
    client,
    planByKey(() => now),
  );
  const planOf = async () => {
    // Prepared, so that it has the same planner settings.
    const { rows } = await client.query<{ 'QUERY PLAN': string }>({
      name: 'plan',
      text: `explain (costs off) execute find ('{1}')`,
    });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  await client.query(`
    create table things (owner int, id int, name text, primary key (owner, id));
    create unique index things_name on things (owner, name);
    alter table things alter owner set (n_distinct = 1), set (autovacuum_enabled = false);
    insert into things values (1, 0, 'first');
    analyze things`);
  for (let n = 0; n < 8; n += 1) await client.query({ ...find, values: [ids] });
  // Both indexes have the same cost there, and PostgreSQL chooses the one created last.
  t.regex(await planOf(), /Index Scan using things_name/);
  await client.query('insert into things select 1, n, n from generate_series(1, 10000) n');

  now += 4999;
  await client.query({ ...find, values: [ids] });
  t.regex(await planOf(), /Index Scan using things_name/);
  now += 1;
  await client.query({ ...find, values: [ids] });
  t.regex(await planOf(), /Index Scan using things_pkey/);
});
