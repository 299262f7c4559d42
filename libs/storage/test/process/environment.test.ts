import test from 'ava';
import { processConfig, readConfig } from '@roster/process';
import { databaseConfig } from '@roster/storage';
import { explainRefusal } from '../../database/explain.js';

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

/** Malformed variables, each with the line of the error. Their values contain `secret`. */
const malformed = [
  [{ NATS_URL: 'http://secret' }, /^ {2}NATS_URL: must be one or more nats:\/\/host:port/m],
  [{ NATS_URL: 'secret:4222' }, /^ {2}NATS_URL: must be one or more nats:\/\/host:port/m],
  [{ NATS_URL: 'nats://host:secret' }, /^ {2}NATS_URL: must be one or more nats:\/\/host:port/m],
  [{ NATS_URL: 'nats://u:secret@a,nats://u:other@a' }, /^ {2}NATS_URL: .* no server twice/m],
  [{ NATS_CA_FILE: 'secret.pem' }, /^ {2}NATS_CA_FILE: must be the absolute path of a file/m],
  [{ NATS_NKEY_SEED: 'secret' }, /^ {2}NATS_NKEY_SEED: must be the seed of the nkey of a user/m],
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
] as [Record<string, string>, RegExp][];

test('the error names a malformed variable and the problem, without its value', (t) => {
  for (const [env, problem] of malformed) {
    const error = t.throws(() => readConfig(schema, { ...sound, ...env }));
    t.regex(error.message, problem);
    t.notRegex(error.message, /secret/);
  }
});

test('an empty variable is treated as unset: an empty port is not port 0', (t) => {
  t.is(readConfig(schema, { ...sound, ADMIN_PORT: '' }).ADMIN_PORT, 9090);
});

test('a line break after a URL, as from a file, is ignored', (t) => {
  const { NATS_URL, DATABASE_URL } = sound;
  t.like(
    readConfig(schema, { NATS_URL: `${NATS_URL}\n`, DATABASE_URL: `${DATABASE_URL}\n` }),
    sound,
  );
});

test('each NATS server of a list may have credentials of its own', (t) => {
  const NATS_URL = 'nats://u:secret@a:4222,tls://v:other@b:4222,nats://c';
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
