import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeKeyPair, permissionsOf } from '@roster/bus';
import { eventually, throwawayDatabase, throwawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { spawnProbe } from './probe-process.js';

const sound = { NATS_URL: 'nats://host:4222', DATABASE_URL: 'postgres://u:p@host/roster' };

test('with invalid variables the process exits with 78 and one line for each', async (t) => {
  const probe = spawnProbe(t, { DATABASE_URL: 'postgres://u:secret@host' });
  t.is(await probe.exit, 78);
  t.is(
    probe.output(),
    'probe: Invalid environment variables:\n  NATS_URL is missing: set it to nats://user:password@host:port\n' +
      '  DATABASE_URL: has no database name: append /database before any parameters\n',
  );
});

test('if ADMIN_PORT is in use, the process logs one line and exits with 1', async (t) => {
  const other = spawnProbe(t, { ...sound, NATS_URL: 'nats://127.0.0.1:9' });
  await other.waits();
  const port = String(other.lines().find(({ adminPort }) => adminPort)!['adminPort']);
  const probe = spawnProbe(t, { ...sound, ADMIN_PORT: port });
  t.is(await probe.exit, 1);
  const messages = probe.lines().map(({ msg }) => msg);
  t.is(messages[0], `Port ${port} of 127.0.0.1 is already in use. Choose another with ADMIN_PORT.`);
});

test('the process also waits for configuration to be corrected, and logs one line without passwords', async (t) => {
  const { nats, database } = await servers(t);
  const { host, port } = new URL(database.url);
  const limited = withUser(database.url, await database.role('limited'), 'secret');
  const cases = [
    [
      { DATABASE_URL: withUser(database.url, 'roster', 'secret') },
      `DATABASE_URL: PostgreSQL at ${host} rejects the user name or password (28P01): correct them.`,
    ],
    [
      { DATABASE_URL: database.url.replace(/\/\w+$/, '/nowhere') },
      `DATABASE_URL: PostgreSQL at ${host} has no such database (3D000): create it, or correct its name.`,
    ],
    [
      { DATABASE_URL: limited },
      // The privilege is that of the schema if another of these cases created it first.
      /^DATABASE_URL: PostgreSQL denies the role a required privilege \(42501\): permission denied for (database|schema) \w+: set the URL of the role of this service, grant the privilege, or run roster migrate as a role that can create schemas\.$/,
    ],
    [
      { DATABASE_URL: `postgres://roster:secret@no-such-host.invalid:${port}/roster` },
      /^DATABASE_URL: PostgreSQL at no-such-host\.invalid:\d+ has no address/,
    ],
    [
      { DATABASE_URL: `${database.url}?sslmode=verify-full` },
      `DATABASE_URL: PostgreSQL at ${host} does not support TLS: enable TLS on the server, or set sslmode=disable.`,
    ],
    [
      { EVENTS_REPLICAS: '3' },
      'EVENTS_REPLICAS: this NATS server is not in a cluster and supports only one replica: ' +
        'set it to 1, or set NATS_URL to the servers of a cluster.',
    ],
  ] as [Record<string, string>, string | RegExp][];
  const check = async ([env, reason]: (typeof cases)[number]) => {
    const probe = spawnProbe(t, { NATS_URL: nats.url, DATABASE_URL: database.url, ...env });
    const logged = await probe.waits();
    if (typeof reason === 'string') t.is(logged, reason);
    else t.regex(logged, reason);
    t.notRegex(probe.output(), /secret/);
    t.like(await probe.get('/readyz'), { status: 503, body: { waitingFor: logged } });
    probe.kill('SIGTERM');
    t.is(await probe.exit, 0);
  };
  await Promise.all(cases.map(check));
});

test('the process waits while NATS rejects the credentials', async (t) => {
  const { nats, database } = await servers(t);
  await nats.allowOnly({ user: 'ada', password: 'another' });
  const probe = spawnProbe(t, {
    NATS_URL: nats.url.replace('//', '//ada:secret@'),
    DATABASE_URL: database.url,
  });
  t.is(
    await probe.waits(),
    `NATS_URL: NATS at ${new URL(nats.url).host} rejects the user name or password (AUTHORIZATION_VIOLATION): correct them.`,
  );
  t.notRegex(probe.output(), /secret/);
  await nats.allowOnly({ user: 'ada', password: 'secret' });
  await probe.ready();
});

test('a process with the NATS credential of another program waits, and logs one line that names both', async (t) => {
  const { nats, database } = await servers(t);
  const contacts = makeKeyPair();
  await nats.allowOnly({ nkey: contacts.publicKey, permissions: permissionsOf('contacts') });
  const seedFile = join(nats.dataDir, 'contacts.nk');
  await writeFile(seedFile, contacts.seed);
  const probe = spawnProbe(t, {
    NATS_URL: nats.url,
    NATS_NKEY_SEED_FILE: seedFile,
    DATABASE_URL: database.url,
  });
  const reason = await probe.waits();
  t.is(
    reason,
    `NATS_NKEY_SEED_FILE: NATS at ${new URL(nats.url).host} denies _INBOX.probe.> to this credential, which is that of contacts: set the credential of probe.`,
  );
  t.like(await probe.get('/readyz'), { status: 503, body: { waitingFor: reason } });
  t.false(probe.output().includes('NatsDenial'));
});

test('a process is not ready while NATS denies one of its subscriptions', async (t) => {
  const { nats, database } = await servers(t);
  const ada = { user: 'ada', password: 'secret' };
  await nats.allowOnly(ada);
  const NATS_URL = nats.url.replace('//', '//ada:secret@');
  const probe = spawnProbe(t, { NATS_URL, DATABASE_URL: database.url });
  await probe.ready();
  await nats.allowOnly({ ...ada, permissions: { subscribe: { deny: ['_INBOX.>'] } } });
  const readiness = await eventually(async () => {
    const { status, body } = await probe.get('/readyz');
    return status === 503 && body;
  });
  t.like(readiness, { checks: { nats: true, 'nats-permissions': false, postgres: true } });
  await nats.allowOnly(ada);
  await probe.ready();
});

test('a service runs with a role that cannot create schemas, if the schema exists', async (t) => {
  const { nats, database } = await servers(t);
  const env = { NATS_URL: nats.url, DATABASE_URL: database.url };
  const owner = spawnProbe(t, env);
  await owner.ready();
  const worker = await database.role('worker');
  await database.execute(`grant usage on schema probe to ${worker}`);
  await database.execute(
    `grant select, insert, update, delete on all tables in schema probe to ${worker}`,
  );
  for (const MIGRATE of ['true', 'false']) {
    const DATABASE_URL = withUser(database.url, worker, 'secret');
    const probe = spawnProbe(t, { ...env, DATABASE_URL, MIGRATE });
    await probe.ready();
    t.deepEqual(probe.reasons(), []);
  }
});

async function servers(t: ExecutionContext) {
  const [nats, postgres] = await Promise.all([throwawayNats(), throwawayDatabase()]);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const roles: string[] = [];
  t.teardown(async () => {
    // Roles are not deleted with the database.
    for (const role of roles) await client.query(`drop owned by ${role}; drop role ${role}`);
    await client.end();
    await Promise.all([nats.stop(), postgres.drop()]);
  });
  const execute = (statement: string) => client.query(statement);
  const role = async (name: string) => {
    const unique = `${name}_${randomBytes(4).toString('hex')}`;
    await execute(`create role ${unique} login password 'secret'`);
    roles.push(unique);
    return unique;
  };
  return { nats, database: { url: postgres.url, execute, role } };
}

function withUser(url: string, user: string, password: string): string {
  return url.replace(/\/\/[^@]*@/, `//${user}:${password}@`);
}
