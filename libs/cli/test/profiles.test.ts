import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';

import { UsageError } from '../failure.js';
import { changeProfiles, readProfiles, resolveProfile } from '../profiles.js';

const key = 'rsk_000000000000000000000000000000000000';
const staging = { url: 'https://staging.example.com', apiKey: `${key}1` };
const live = { url: 'https://live.example.com', apiKey: `${key}2` };

/** An environment with a folder of its own. */
const newEnv = async (t: ExecutionContext): Promise<NodeJS.ProcessEnv> => ({
  XDG_CONFIG_HOME: await temporaryDirectory(t),
});

test('a file of profiles is readable by its owner only, and is replaced as a whole', async (t) => {
  const env = await newEnv(t);
  changeProfiles(() => ({ current: 'staging', profiles: { staging } }), env);
  changeProfiles(({ profiles, ...rest }) => ({ ...rest, profiles: { ...profiles, live } }), env);
  const folder = join(env['XDG_CONFIG_HOME']!, 'roster');
  t.deepEqual(await readdir(folder), ['profiles.json']);
  t.is((await stat(join(folder, 'profiles.json'))).mode & 0o777, 0o600);
  t.is((await stat(folder)).mode & 0o777, 0o700);
  t.deepEqual(JSON.parse(await readFile(join(folder, 'profiles.json'), 'utf8')), {
    current: 'staging',
    profiles: { staging, live },
  });
});

test('options win over the environment, and the environment over the default profile', async (t) => {
  const env = await newEnv(t);
  changeProfiles(() => ({ current: 'staging', profiles: { staging, live } }), env);
  t.deepEqual(resolveProfile({}, undefined, env), { ...staging, name: 'staging' });
  t.deepEqual(resolveProfile({ profile: 'live' }, undefined, env), { ...live, name: 'live' });
  t.deepEqual(resolveProfile({ url: live.url }, undefined, env), { ...live, name: 'live' });

  env['ROSTER_URL'] = 'https://other.example.com/';
  env['ROSTER_API_KEY'] = `${key}3\n`;
  t.deepEqual(resolveProfile({}, undefined, env), {
    url: 'https://other.example.com',
    apiKey: `${key}3`,
  });
  t.deepEqual(resolveProfile({ profile: 'live' }, undefined, env), { ...live, name: 'live' });

  const file = join(env['XDG_CONFIG_HOME']!, 'key');
  await writeFile(file, `${key}4\n`);
  t.deepEqual(resolveProfile({ apiKeyFile: file, url: 'localhost:80' }, undefined, env), {
    url: 'https://localhost:80',
    apiKey: `${key}4`,
  });
});

test('a key is never sent to another address than that of its profile', async (t) => {
  const env = await newEnv(t);
  changeProfiles(() => ({ current: 'staging', profiles: { staging } }), env);
  for (const options of [{ url: live.url }, { url: live.url, profile: 'staging' }])
    t.throws(() => resolveProfile(options, undefined, env), { instanceOf: UsageError });
});

test('the profile of a local system is the default of its home only', async (t) => {
  const env = await newEnv(t);
  changeProfiles(() => ({ current: 'staging', profiles: { staging } }), env);
  const home = await temporaryDirectory(t);
  t.is(resolveProfile({}, home, env).name, 'staging');
  const local = { url: 'http://127.0.0.1:8080', apiKey: key };
  await writeFile(join(home, 'profiles.json'), JSON.stringify({ profiles: { local } }));
  t.deepEqual(resolveProfile({}, home, env), { ...local, name: 'local' });
  t.is(resolveProfile({ profile: 'staging' }, home, env).name, 'staging');
  t.is(resolveProfile({}, undefined, env).name, 'staging');
});

test('what is missing or wrong is said in a sentence without the key', async (t) => {
  const env = await newEnv(t);
  const cases: [object, RegExp][] = [
    [{}, /^No profile is stored: run `roster login`/],
    [{ profile: 'live' }, /^There is no profile "live"\. Stored profiles: none\.$/],
    [{ url: 'ftp://a' }, /^--url must be an address/],
    [{ apiKeyFile: '/nowhere' }, /^\/nowhere cannot be read \(ENOENT\)\.$/],
  ];
  for (const [options, message] of cases)
    t.throws(() => resolveProfile(options, undefined, env), { instanceOf: UsageError, message });
  env['ROSTER_API_KEY'] = 'hunter2';
  t.throws(() => resolveProfile({ url: live.url }, undefined, env), {
    message: 'ROSTER_API_KEY does not contain an API key, which begins with rsk_.',
  });
  await mkdir(join(env['XDG_CONFIG_HOME']!, 'roster'));
  await writeFile(join(env['XDG_CONFIG_HOME']!, 'roster', 'profiles.json'), '{"a');
  t.throws(() => readProfiles(undefined, env), {
    message: /is not a file of profiles: correct it/,
  });
});
