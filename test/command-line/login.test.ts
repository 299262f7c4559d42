import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';
import { newEnvironment, runCli } from './run-cli.js';

test('login needs no browser: it reads the key from standard input, checks it, and stores it for its account only', async (t) => {
  const roster = await sharedRoster(t);
  const { folder, env } = await newEnvironment(t, roster);
  const { ROSTER_URL: url, ROSTER_API_KEY: key, ...without } = env;
  const opened = join(folder, 'opened');
  const tools = join(folder, 'bin');
  await mkdir(tools);
  for (const browser of ['xdg-open', 'open', 'sensible-browser', 'x-www-browser', 'firefox']) {
    await writeFile(join(tools, browser), `#!/bin/sh\ntouch '${opened}'\n`);
    await chmod(join(tools, browser), 0o755);
  }
  const own = { ...without, DISPLAY: ':0', PATH: `${tools}${delimiter}${env.PATH}` };
  const profiles = join(env.XDG_CONFIG_HOME!, 'roster/profiles.json');
  const login = (input: string) => runCli(['login', '--url', url!], own, { input });

  const refused = await login(`rsk_${'a'.repeat(36)}\n`);
  t.is(refused.code, 4, refused.stderr);
  t.false(existsSync(profiles));

  const done = await login(`${key}\n`);
  t.is(done.code, 0, done.stderr);
  t.false((done.stdout + done.stderr).includes(key!));
  t.is((await stat(profiles)).mode & 0o777, 0o600);
  t.true((await readFile(profiles, 'utf8')).includes(key!));
  t.is((await runCli(['contacts', 'list'], own)).code, 0);
  t.false(existsSync(opened));
});
