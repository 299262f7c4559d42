import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { throwawayDatabase, throwawayNats, type ThrowawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { z } from 'zod';
import { explainRefusal } from '../database/explain.js';
import { databaseConfig, processConfig, readConfig } from '../index.js';
import { spawnProbe } from './probe-process.js';

const schema = processConfig.extend(databaseConfig.shape);
const sound = { NATS_URL: 'nats://host:4222', DATABASE_URL: 'postgres://u:p@host/roster' };

test('the error names a missing or empty variable, and what to set it to', (t) => {
  for (const env of [{}, { NATS_URL: '', DATABASE_URL: '' }])
    t.throws(() => readConfig(schema, env), {
      message:
        'Invalid environment variables:\n  NATS_URL is missing: set it to nats://user:password@host:port\n' +
        '  DATABASE_URL is missing: set it to postgres://user:password@host:port/database',
    });
});

test('the error names a malformed variable and the problem, without its value', (t) => {
  for (const [env, problem] of [
    [{ NATS_URL: 'http://secret' }, /^ {2}NATS_URL: must be one or more nats:\/\/host:port/m],
    [{ NATS_URL: 'secret:4222' }, /^ {2}NATS_URL: must be one or more nats:\/\/host:port/m],
    [{ NATS_URL: 'nats://host:secret' }, /^ {2}NATS_URL: must be one or more nats:\/\/host:port/m],
    [{ NATS_URL: 'nats://u:secret@a,nats://u:other@b' }, /^ {2}NATS_URL: .* with the same user/m],
    [{ DATABASE_URL: 'mysql://secret/x' }, /^ {2}DATABASE_URL: must be postgres:\/\//m],
    [{ DATABASE_URL: 'secret' }, /^ {2}DATABASE_URL: must be postgres:\/\//m],
    [{ DATABASE_URL: 'postgres://u:secret@host:high/x' }, /^ {2}DATABASE_URL: .* host:port/m],
    [{ DATABASE_URL: 'postgres://u:secret@host:99999/x' }, /^ {2}DATABASE_URL: .* host:port/m],
    [{ DATABASE_URL: 'postgres://u:secret@host' }, /^ {2}DATABASE_URL: has no database name/m],
    [
      { DATABASE_URL: 'postgres://u:secret%ff@host/x' },
      /^ {2}DATABASE_URL: .*percent-encode the user name/m,
    ],
    [
      { DATABASE_URL: 'postgres://u:secret@host/x?sslrootcert=/not/there' },
      /^ {2}DATABASE_URL: refers to a file that cannot be read \(ENOENT\): \/not\/there/m,
    ],
    [
      { DATABASE_URL: 'postgres://u:secret@host/x?target_session_attrs=standby' },
      /^ {2}DATABASE_URL: .*target_session_attrs/m,
    ],
    ...['postgres://u:secret@a:1,,b:2/x', 'postgres://u:secret@a,/x'].map((DATABASE_URL) => [
      { DATABASE_URL },
      /^ {2}DATABASE_URL: has an empty host in its list: write host:port, several by commas$/m,
    ]),
    ...[
      ['connect_timeout', ['1e9', '100000', '-5', 'secret', ''], 'write seconds, from 0 to 99999'],
      [
        'sslmode',
        ['secret', ''],
        'write disable, prefer, require, verify-ca, verify-full or no-verify',
      ],
      ['ssl', ['secret'], 'write true or false, or use sslmode'],
      ['sslnegotiation', ['secret'], 'write postgres or direct'],
      ...[
        'statement_timeout',
        'lock_timeout',
        'idle_in_transaction_session_timeout',
        'query_timeout',
      ].map((name) => [
        name,
        ['30s', '1e9', '9999999999', '-5'],
        'write whole milliseconds, without a unit; 0 sets no limit',
      ]),
    ].flatMap(([name, values, remedy]) =>
      (values as string[]).map((value) => [
        { DATABASE_URL: `postgres://u:secret@host/x?${name as string}=${value}` },
        new RegExp(
          `^  DATABASE_URL: has a ${name as string} that is not valid: ${remedy as string}$`,
          'm',
        ),
      ]),
    ),
    [{ DATABASE_POOL_MAX: '1' }, /^ {2}DATABASE_POOL_MAX: /m],
    [{ MIGRATE: 'secret' }, /^ {2}MIGRATE: /m],
    [{ ADMIN_PORT: 'secret' }, /^ {2}ADMIN_PORT: /m],
    [{ DRAIN_DELAY_MS: '-1' }, /^ {2}DRAIN_DELAY_MS: /m],
    [{ LOG_LEVEL: 'secret' }, /^ {2}LOG_LEVEL: /m],
  ] as [Record<string, string>, RegExp][]) {
    const error = t.throws(() => readConfig(schema, { ...sound, ...env }));
    t.regex(error.message, problem);
    t.notRegex(error.message, /secret/);
  }
});

test('an empty variable is treated as unset: an empty port is not port 0', (t) => {
  t.is(readConfig(schema, { ...sound, ADMIN_PORT: '' }).ADMIN_PORT, 9090);
});

test('the error reports a variable that is set only by its previous name, along with all other problems', (t) => {
  const renamed = schema.extend({ LIMIT: z.string().default('1').meta({ formerName: 'BOUND' }) });
  t.throws(() => readConfig(renamed, { ...sound, BOUND: 'secret', ADMIN_PORT: '-1' }), {
    message:
      /^Invalid environment variables:\n {2}BOUND was renamed: set LIMIT\n {2}ADMIN_PORT: .+$/,
  });
  t.is(readConfig(renamed, { ...sound, BOUND: '2', LIMIT: '3' }).LIMIT, '3');
  t.is(readConfig(renamed, { ...sound, BOUND: '' }).LIMIT, '1');
});

test('a line break after a URL, as from a file, is ignored', (t) => {
  const { NATS_URL, DATABASE_URL } = sound;
  t.like(
    readConfig(schema, { NATS_URL: `${NATS_URL}\n`, DATABASE_URL: `${DATABASE_URL}\n` }),
    sound,
  );
});

test('the credentials of the first NATS server apply to those without', (t) => {
  const NATS_URL = 'nats://u:secret@a:4222,nats://b:4222';
  t.like(readConfig(schema, { ...sound, NATS_URL }), { NATS_URL });
});

test('a statement timeout is reported as such, not as an unreachable server', (t) => {
  for (const [code, name, passing] of [
    ['57014', 'statement_timeout', false],
    ['55P03', 'lock_timeout', true],
  ] as const) {
    const refusal = explainRefusal({ code, message: `canceling statement due to ${name}` });
    t.regex(refusal!.message, new RegExp(name));
    t.notRegex(refusal!.message, /does not answer/);
    t.is(refusal!.passing, passing);
  }
});

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
      // Of the schema, if another of these cases created it first.
      /^DATABASE_URL: PostgreSQL denies the role a required privilege \(42501\): permission denied for (database|schema) \w+: grant the privilege, or run roster migrate as a role that can create schemas\.$/,
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
  await allow(nats, 'ada', 'another');
  const probe = spawnProbe(t, {
    NATS_URL: nats.url.replace('//', '//ada:secret@'),
    DATABASE_URL: database.url,
  });
  t.is(
    await probe.waits(),
    `NATS_URL: NATS at ${new URL(nats.url).host} rejects the user name or password (AUTHORIZATION_VIOLATION): correct them.`,
  );
  t.notRegex(probe.output(), /secret/);
  await allow(nats, 'ada', 'secret');
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

/** From now on, only this user may connect. */
async function allow(nats: ThrowawayNats, user: string, password: string): Promise<void> {
  const file = join(nats.dataDir, 'nats.conf');
  const config = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...config, authorization: { user, password } }));
  nats.kill('SIGHUP');
}
