import { connectBus } from '@roster/bus';
import { uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import pg from 'pg';
import { Client } from './client.js';
import { createResources } from './owned-resources.js';
import { startReceiver } from './receiver.js';
import { seedFileOf, sharedAdminKey, sharedRoster } from './running-roster.js';

const silence = { debug() {}, warn() {}, error() {} };

test('after its deletion no table of any schema and no message of the stream contains the ID of a workspace', async (t) => {
  const roster = await sharedRoster(t);
  const { baseUrl, databaseUrl, natsUrl } = roster;
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const admin = new Client({ baseUrl, apiKey: sharedAdminKey });
  const neighbour = new Client(roster);
  t.is((await neighbour.post('/v1/contacts', { email: 'stays@example.com' })).status, 201);
  const { workspaceId, apiKey } = await roster.newWorkspace('Deleted');
  const owner = new Client({ baseUrl, apiKey });
  const bus = await connectBus({
    servers: natsUrl,
    name: 'contacts',
    credentials: { nkeySeedFile: seedFileOf(roster, 'contacts') },
    log: silence,
  });
  t.teardown(() => bus.close());
  const { created, last: before } = await bus.stream.bounds();
  await createResources(owner, receiver.url);
  await eventually(() => receiver.received.length > 0);
  const ids = [workspaceId, uuidOf('workspace', workspaceId)];

  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  t.teardown(() => database.end());
  /** Of partitioned tables, the partitions. */
  const { rows: tables } = await database.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`,
  );
  const naming = async () => {
    const found: string[] = [];
    for (const { name } of tables) {
      const { rows } = await database.query<{ is: boolean }>(
        `select exists (select from ${name} t where t::text like any ($1::text[])) as is`,
        [ids.map((id) => `%${id}%`)],
      );
      if (rows[0]!.is) found.push(name);
    }
    return found;
  };
  // So that the test finds what is to be deleted.
  const filled = await naming();
  for (const schema of ['contacts', 'users', 'webhooks', 'dispatcher'])
    t.true(filled.filter((name) => name.startsWith(`${schema}.`)).length > 2, schema);

  const path = `/v1/admin/workspaces/${workspaceId}`;
  t.is((await admin.delete(path)).status, 202);
  t.is((await owner.get('/v1/contacts')).status, 403);
  await eventually(async () => (await admin.get(path)).status === 404, { timeoutMs: 120_000 });
  t.deepEqual(await naming(), []);
  const { last } = await bus.stream.bounds();
  for (let sequence = before + 1; sequence <= last; sequence += 1) {
    const text = JSON.stringify((await bus.stream.at(sequence, created)) ?? null);
    t.false(
      ids.some((id) => text.includes(id)),
      `message ${sequence}`,
    );
  }
  t.is(await bus.eraser.next(workspaceId, 0), undefined);
  t.is((await owner.get('/v1/contacts')).status, 401);
  t.is((await neighbour.get('/v1/contacts')).status, 200);
});
