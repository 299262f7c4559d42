import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import test from 'ava';

import { version } from '../version.js';
import { bin, newConfig, runRoster } from './run-roster.js';

test('the version is that of the package', async (t) => {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  t.is(version, (JSON.parse(manifest) as { version: string }).version);
  const { code, stdout } = await runRoster(['--version'], await newConfig(t));
  t.deepEqual({ code, stdout }, { code: 0, stdout: `${version}\n` });
});

test('help is on stdout with 0 if it is asked for, otherwise on stderr with 2', async (t) => {
  const env = await newConfig(t);
  for (const args of [['--help'], ['help'], ['profiles', '--help'], ['help', 'profiles', 'use']]) {
    const { code, stdout, stderr } = await runRoster(args, env);
    t.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    t.regex(stdout, /^Usage: roster /);
  }
  for (const args of [[], ['profiles'], ['unknown'], ['profiles', 'list', '--unknown']]) {
    const { code, stdout, stderr } = await runRoster(args, env);
    t.deepEqual({ code, stdout }, { code: 2, stdout: '' }, args.join(' '));
    t.not(stderr, '');
  }
});

test('a key as an argument is refused, and not repeated', async (t) => {
  for (const args of [
    ['profiles', 'use', 'rsk_secret'],
    ['--url=rsk_secret', 'profiles', 'list'],
  ]) {
    const { code, stdout, stderr } = await runRoster(args, await newConfig(t));
    t.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    t.regex(stderr, /^A key must not be an argument: .*\n$/);
    t.notRegex(stderr, /secret/);
  }
});

test('a reader that closes the pipe of the help is no failure', async (t) => {
  const child = spawn(process.execPath, [bin, '--help'], { env: await newConfig(t) });
  child.stdout.destroy();
  const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  t.deepEqual({ code, stderr }, { code: 0, stderr: '' });
});

test('options of every command are accepted before and after its name', async (t) => {
  const env = await newConfig(t);
  for (const args of [
    ['--json', 'profiles', 'list'],
    ['profiles', 'list', '--json'],
    ['--profile', 'profiles', 'profiles', 'list'],
  ])
    t.is((await runRoster(args, env)).code, 0, args.join(' '));
});
