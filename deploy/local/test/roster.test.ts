import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import test, { type ExecutionContext } from 'ava';

test('says what it takes when the command line is not right, and exits with 2', async (t) => {
  for (const [args, problem] of [
    [[], 'A command is missing.'],
    [['workspace', 'destroy'], 'There is no command "workspace destroy".'],
    [['key', 'revoke'], 'key revoke needs --id.'],
    [['key', 'revoke', '--id', 'key_1', '--name', 'x'], 'key revoke takes no --name.'],
    [
      ['key', 'create', '--user', 'usr_1', '--scopes', 'admin'],
      '--scopes takes api_user, user, not "admin".',
    ],
  ] as const) {
    const { code, stdout, stderr } = await roster(t, args);
    t.is(code, 2);
    t.is(stdout, '');
    t.true(stderr.startsWith(`${problem}\n\nUsage:\n`), stderr);
  }
});

test('shows how it is used, and exits with 0', async (t) => {
  for (const args of [['--help'], ['-h'], ['key', 'create', '--help']]) {
    const { code, stdout, stderr } = await roster(t, args);
    t.is(code, 0);
    t.true(stdout.startsWith('Usage:\n'), stdout);
    t.is(stderr, '');
  }
});

test('says in one line that nothing runs, and exits with 1', async (t) => {
  const args = ['key', 'revoke', '--id', 'key_01m7yrn63je008jw5dtbaj4p15'];
  const { code, stdout, stderr } = await roster(t, args);
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /^Roster does not run on .*\. Start it with npm start, or .*\n$/);

  const elsewhere = await roster(t, args, { NATS_URL: 'nats://127.0.0.1:9' });
  t.is(elsewhere.code, 1);
  t.regex(elsewhere.stderr, /^Nothing listens at 127\.0\.0\.1:9\. .*\n$/);
});

test('names a value that cannot be right without asking anybody, and exits with 1', async (t) => {
  const env = { NATS_URL: 'nats://127.0.0.1:9' };
  const { code, stdout, stderr } = await roster(t, ['key', 'revoke', '--id', 'usr_1'], env);
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /^invalid: .*\/keyId: .*\n$/);
});

async function roster(t: ExecutionContext, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const home = await mkdtemp(join(tmpdir(), 'roster-test-cli-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const script = fileURLToPath(new URL('../roster.js', import.meta.url));
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [script, ...args],
      { env: { PATH: process.env.PATH, ROSTER_HOME: home, ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}
