import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@roster/testing';
import { Roster } from '@roster/client';
import test from 'ava';
import { sharedRoster, type SharedRoster } from '../system/running-roster.js';
import { bin, newEnvironment, runCli, runScript } from './run-cli.js';

let shared: SharedRoster;
test.before(async (t) => {
  shared = await sharedRoster(t);
});

async function workspace(name: string) {
  const { apiKey } = await shared.newWorkspace(name);
  return { apiKey, baseUrl: shared.baseUrl };
}

test('an address at which nothing answers exits with 3, and doctor says why', async (t) => {
  const { env } = await newEnvironment(t, shared);
  // A label of a name has at most 63 characters: no server is asked for this one.
  for (const ROSTER_URL of [`http://${'a'.repeat(64)}.example`, 'http://127.0.0.1:1']) {
    const list = await runCli(['contacts', 'list'], { ...env, ROSTER_URL });
    t.is(list.code, 3);
    t.is(list.stdout, '');
    t.regex(list.stderr, /^unreachable: .*\nCheck the address, and `roster doctor`\.\n$/);
    const doctor = await runCli(['doctor'], { ...env, ROSTER_URL });
    t.is(doctor.code, 3);
    t.regex(doctor.stdout, /"check":"link","status":"failed"/);
  }
});

test('an unknown, expired or revoked key, and one without the scope, exit with 4 and the remedy', async (t) => {
  const own = await workspace('Keys');
  const { env } = await newEnvironment(t, own);
  const roster = new Roster(own);
  const expectRefusal = async (args: string[], key: string, code: string) => {
    const run = await runCli(args, { ...env, ROSTER_API_KEY: key });
    t.deepEqual({ code: run.code, stdout: run.stdout }, { code: 4, stdout: '' }, run.stderr);
    t.regex(run.stderr, new RegExp(`^${code}: .*\\n.*roster (login|whoami).*\\nRequest ID: req_`));
    t.false(run.stderr.includes(key));
  };
  await expectRefusal(['whoami'], `rsk_${'a'.repeat(36)}`, 'unauthenticated');
  const { apiKey, secret } = await roster.apiKeys.create({ name: 'short', scopes: ['user'] });
  await expectRefusal(['contacts', 'list'], secret, 'insufficient_scope');
  await roster.apiKeys.delete(apiKey.id);
  const expiresAt = new Date(Date.now() + 1000).toISOString();
  const brief = await roster.apiKeys.create({ name: 'brief', scopes: ['user'], expiresAt });
  for (const ended of [secret, brief.secret]) {
    const run = () => runCli(['whoami'], { ...env, ROSTER_API_KEY: ended });
    await eventually(async () => (await run()).code === 4);
    await expectRefusal(['whoami'], ended, 'unauthenticated');
  }
});

test('what is not found exits with 5, a conflict with 6, and invalid fields with 1 and their pointers', async (t) => {
  const own = await workspace('Faults');
  const { env } = await newEnvironment(t, own);
  t.is((await runCli(['contacts', 'create', 'ada@example.com'], env)).code, 0);
  for (const [args, code, stderr] of [
    [['contacts', 'get', 'nobody@example.com'], 5, /^not_found: /],
    [['contacts', 'get', 'cont_01m8f0erfwe00bpts4jax9k7vg'], 5, /^not_found: .*\nRequest ID: /s],
    [['contacts', 'create', 'ADA@example.com'], 6, /^conflict: .*\n {2}Existing: cont_/s],
    [['contacts', 'create', 'nobody'], 1, /^invalid: \/email /],
    [['contacts', 'delete', 'ada@example.com'], 2, /--yes/],
    [['contacts', 'list', '--limit', 'few'], 2, /whole number/],
    [['contacts', 'import', '/nowhere.csv'], 1, /^\/nowhere\.csv cannot be read \(ENOENT\)\.\n$/],
  ] as const) {
    const run = await runCli(args, env);
    t.is(run.code, code, `${args.join(' ')}\n${run.stderr}`);
    t.is(run.stdout, '');
    t.regex(run.stderr, stderr);
  }
});

test('a full disk exits with 1 and a sentence, and leaves no half file', async (t) => {
  const own = await workspace('Disks');
  const { folder, env } = await newEnvironment(t, own);
  await new Roster(own).contacts.create({ email: 'ada@example.com' });
  for (const script of [
    'roster contacts export --output /dev/full',
    'roster contacts export > /dev/full',
    'roster contacts list > /dev/full',
    'roster --help contacts > /dev/null; roster whoami > /dev/full',
  ]) {
    const { code, stderr } = await runScript(script, folder, env);
    t.is(code, 1, script);
    t.regex(stderr, /^.* cannot be written: no space is left on the disk\.\n$/, script);
  }
  const missing = await runScript('roster contacts export -o missing/a.csv', folder, env);
  t.is(missing.code, 1);
  t.is(
    missing.stderr,
    'missing/a.csv cannot be written: its folder does not exist. Nothing is left of it.\n',
  );
  t.deepEqual(await readdir(folder), []);
});

test('an export that breaks off exits with 3 and leaves no file', async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/csv' });
    response.write('id,email\n');
    setTimeout(() => response.destroy(), 100);
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { folder, env } = await newEnvironment(t, shared);
  const ROSTER_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await runScript('roster contacts export -o a.csv', folder, {
    ...env,
    ROSTER_URL,
  });
  t.is(code, 3, stderr);
  t.regex(stderr, /^unreachable: /);
  t.deepEqual(await readdir(folder), []);
});

test('a reader that closes the pipe ends a list in silence with 0, long before its end', async (t) => {
  const own = await workspace('Closed pipes');
  const { folder, env } = await newEnvironment(t, own);
  const rows = Array.from({ length: 5000 }, (_, n) => `c${n}@example.com`);
  await new Roster(own).imports.create(`email\n${rows.join('\n')}\n`, { events: 'summary' });
  const { code, stdout, stderr } = await runScript('roster contacts list | head -n 1', folder, env);
  t.deepEqual(
    { code, stderr, lines: stdout.trim().split('\n').length },
    { code: 0, stderr: '', lines: 1 },
  );
});

test('Ctrl-C while rows are imported says what continues and how to go on, and exits with 130', async (t) => {
  const own = await workspace('Interrupted');
  const { folder, env } = await newEnvironment(t, own);
  const roster = new Roster(own);
  const rows = Array.from({ length: 50_000 }, (_, n) => `i${n}@example.com`);
  const file = join(folder, 'contacts.csv');
  await writeFile(file, `email\n${rows.join('\n')}\n`);
  const interrupted = await runCli(['contacts', 'import', file, '--events', 'summary'], env, {
    signal: (child) =>
      void eventually(async () => {
        const { imports } = await roster.imports.list({});
        return imports.some(({ status }) => status === 'running' || status === 'completed');
      }).then(() => child.kill('SIGINT')),
  });
  t.is(interrupted.code, 130, interrupted.stderr);
  const [, id = ''] =
    /^(imp_\S+) was received whole and continues: \d+ of 50000 rows/.exec(interrupted.stderr) ?? [];
  t.regex(interrupted.stderr, new RegExp(`roster imports get ${id}`));
  t.is((await runCli(['imports', 'get', id], env)).code, 0);
  const ended = await eventually(
    async () => {
      const state = await roster.imports.get(id);
      return state.endedAt !== null && state;
    },
    { timeoutMs: 60_000 },
  );
  t.is(ended.created, 50_000);
  t.is(ended.fileName, 'contacts.csv');
});

test('Ctrl-C while the answer to a whole file is awaited does not claim that nothing was changed', async (t) => {
  const { env, folder } = await newEnvironment(t, await workspace('Unanswered'));
  const file = join(folder, 'contacts.csv');
  await writeFile(file, 'email\nada@example.com\n');
  let isReceived = false;
  const server = createServer((request) => {
    request.resume().on('end', () => (isReceived = true));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const ROSTER_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await runCli(
    ['contacts', 'import', file],
    { ...env, ROSTER_URL },
    { signal: (child) => void eventually(() => isReceived).then(() => child.kill('SIGINT')) },
  );
  t.is(code, 130, stderr);
  t.regex(stderr, /^Whether the file was received whole, and is imported, is not known: /);
});

test('Ctrl-C while a file is sent says that nothing was changed, and exits with 130', async (t) => {
  const own = await workspace('Half sent');
  const { env } = await newEnvironment(t, own);
  const child = spawn(process.execPath, [bin, 'contacts', 'import', '-'], { env });
  child.stdin.on('error', () => {}).write('email\n');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const roster = new Roster(own);
  // The gateway announces an import to the service when enough rows have come.
  let rows = 0;
  await eventually(async () => {
    for (const end = rows + 1000; rows < end; rows += 1)
      child.stdin.write(`contact-${rows}@example.com\n`);
    return (await roster.imports.list()).imports[0]?.status === 'uploading';
  });
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number | null];
  t.is(code, 130, stderr);
  t.regex(stderr, /^The file was not received whole: no contact was changed\./);
  t.is((await roster.contacts.list({})).contacts.length, 0);
});
