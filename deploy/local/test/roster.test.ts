import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

import { eventually, throwawayNats } from '@roster/testing';
import test from 'ava';

import { cli, roster, succeeds } from './run-roster.js';

test('reports a wrong command line with the usage, and exits with 2', async (t) => {
  for (const [args, problem] of [
    [['workspace', 'destroy'], 'Unknown command "workspace destroy".'],
    [['key', 'revoke'], 'key revoke requires --id.'],
    [['key', 'revoke', '--id', 'key_1', '--name', 'x'], 'key revoke does not accept --name.'],
    [['key', 'revoke', '--id', 'key_1', '--print'], 'key revoke does not accept --print.'],
    [
      ['migrate', 'billing', '--print'],
      'migrate accepts contacts, users, webhooks, dispatcher, not "billing".',
    ],
    [['migrate', '--id', 'key_1'], 'migrate does not accept --id.'],
    [
      ['key', 'create', '--user', 'usr_1', '--scopes', 'admin'],
      '--scopes accepts api_user, user, not "admin".',
    ],
    [
      ['key', 'rotate', '--id', 'key_1', '--overlap-seconds', 'abc'],
      '--overlap-seconds must be a whole number of seconds, not "abc".',
    ],
    [
      ['key', 'rotate', '--id', 'key_1', '--overlap-seconds', ''],
      '--overlap-seconds must be a whole number of seconds, not "".',
    ],
  ] as const) {
    const { code, stdout, stderr } = await roster(t, args);
    t.is(code, 2);
    t.is(stdout, '');
    t.true(stderr.startsWith(`${problem}\n\nUsage:\n`), stderr);
  }
});

test('--help prints the usage, and exits with 0', async (t) => {
  for (const args of [
    ['key', '--help'],
    ['key', 'create', '-h'],
    ['help', 'key'],
  ]) {
    const { code, stdout, stderr } = await roster(t, args);
    t.is(code, 0);
    t.true(stdout.startsWith('Usage:\n'), stdout);
    t.is(stderr, '');
  }
});

test('one program has the commands over HTTP and those of an operator, and says what they use', async (t) => {
  const { code, stdout, stderr } = await roster(t, ['--help']);
  t.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  t.regex(stdout, /^ {2}contacts .*^Operator's commands:$.*^ {2}workspace .* over NATS$/ms);
  const without = await roster(t, []);
  t.deepEqual({ code: without.code, stdout: without.stdout }, { code: 2, stdout: '' });
  t.true(without.stderr.startsWith('Usage: '), without.stderr);
});

test('the usage shows the command as it was called: with npm, or directly in the image', async (t) => {
  const image = { ROSTER_COMMAND: 'roster' };
  for (const [args, env, expected] of [
    [['--help'], {}, /^Usage: npm run --silent roster -- \[options\]/],
    [['--help'], image, /^Usage: roster \[options\]/],
    [['key', '--help'], {}, /^Usage:\n {2}npm run --silent roster -- workspace create --name/],
    [['key', '--help'], image, /^Usage:\n {2}roster workspace create --name/],
  ] as const) {
    const { stdout } = await roster(t, args, env);
    t.regex(stdout, expected);
    if (env === image) t.notRegex(stdout, /npm run/);
  }
});

test('reports in one line that Roster is not running, and exits with 1', async (t) => {
  const args = ['key', 'revoke', '--id', 'key_01m7yrn63je008jw5dtbaj4p15'];
  const { code, stdout, stderr } = await roster(t, args);
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /^Roster is not running on .*\. Start it with npm start, or .*\n$/);

  const elsewhere = await roster(t, args, { NATS_URL: 'nats://127.0.0.1:9' });
  t.is(elsewhere.code, 1);
  t.regex(
    elsewhere.stderr,
    /^NATS_URL: NATS at 127\.0\.0\.1:9 refuses the connection \(ECONNREFUSED\): .*\n$/,
  );
});

test('rejects an invalid value without sending a request, and exits with 1', async (t) => {
  const env = { NATS_URL: 'nats://127.0.0.1:9' };
  const { code, stdout, stderr } = await roster(t, ['key', 'revoke', '--id', 'usr_1'], env);
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /^invalid: .*\/keyId: .*\n$/);

  const keyId = 'key_01m7yrn63je008jw5dtbaj4p15';
  const tooLong = ['key', 'rotate', '--id', keyId, '--overlap-seconds', '604801'];
  const rotated = await roster(t, tooLong, env);
  t.is(rotated.code, 1);
  t.regex(rotated.stderr, /^invalid: .* \/overlapSeconds: must be at most 604800\n$/);
});

test('exits on SIGTERM as process 1 of a container', async (t) => {
  // Process 1 of a PID namespace, as of a container, ignores signals that it does not handle.
  const namespaceOptions = ['--pid', '--fork', '--kill-child'];
  if (!(await succeeds('unshare', ...namespaceOptions, 'true'))) {
    t.log('PID namespaces cannot be created here: not tested.');
    t.pass();
    return;
  }
  // `migrate` waits for a PostgreSQL that does not answer.
  const connected = Promise.withResolvers<void>();
  const silent = createServer(() => connected.resolve()).listen(0, '127.0.0.1');
  t.teardown(() => silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const env = { PATH: process.env.PATH, DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/c` };
  const unshare = spawn('unshare', [...namespaceOptions, process.execPath, cli, 'migrate'], {
    env,
  });
  t.teardown(() => unshare.kill('SIGKILL'));
  const exited = once(unshare, 'exit');
  await connected.promise;
  const children = await readFile(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8');
  process.kill(Number(children), 'SIGTERM');
  t.deepEqual(await exited, [143, null]);
});

test('reports wrong NATS credentials in one line without waiting', async (t) => {
  const nats = await throwawayNats();
  t.teardown(() => nats.stop());
  const file = join(nats.dataDir, 'nats.conf');
  const config = JSON.parse(await readFile(file, 'utf8')) as object;
  const authorization = { user: 'ada', password: 'right' };
  await writeFile(file, JSON.stringify({ ...config, authorization }));
  nats.kill('SIGHUP');
  const NATS_URL = nats.url.replace('//', '//ada:secret@');
  const args = ['key', 'revoke', '--id', 'key_01m7yrn63je008jw5dtbaj4p15'];
  // The server accepts any credentials until it has reloaded its configuration.
  const { code, stderr } = await eventually(async () => {
    const result = await roster(t, args, { NATS_URL });
    return !result.stderr.startsWith('unavailable') && result;
  });
  t.is(code, 1);
  t.is(
    stderr,
    `NATS_URL: NATS at ${new URL(nats.url).host} rejects the user name or password (AUTHORIZATION_VIOLATION): correct them. Nothing was applied.\n`,
  );
});
