import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { makeKeyPair, publicKeyOf, serverUsers, type PublicKeys } from '@roster/bus';
import { programNames } from '@roster/contracts';
import { temporaryDirectory, throwawayNats } from '@roster/testing';
import test from 'ava';

import { roster } from './run-roster.js';

test('nats keys makes a seed for each program once, which only its owner can read, and prints the public keys', async (t) => {
  const folder = join(await temporaryDirectory(t), 'keys');
  const first = await roster(t, ['nats', 'keys', '--folder', folder]);
  t.is(first.code, 0, first.stderr);
  const second = await roster(t, ['nats', 'keys', '--folder', folder]);
  t.is(second.stdout, first.stdout);
  t.is((await stat(folder)).mode & 0o777, 0o700);
  t.deepEqual(await readdir(folder), programNames.map((name) => `${name}.nk`).toSorted());
  for (const name of programNames) {
    const file = join(folder, `${name}.nk`);
    t.is((await stat(file)).mode & 0o777, 0o600);
    const seed = (await readFile(file, 'utf8')).trim();
    t.true(first.stdout.includes(`--${name} ${publicKeyOf(seed)}`));
    t.false(first.stdout.includes(seed));
  }
});

test('nats permissions prints the users that npm start gives to its NATS, each program with all of its keys', async (t) => {
  const newKeys = () => [makeKeyPair().publicKey];
  const keys = Object.fromEntries(
    programNames.map((name) => [name, newKeys()]),
  ) as unknown as PublicKeys;
  const rotated = { ...keys, users: [...keys.users, ...newKeys()] };
  const args = programNames.flatMap((name) => [`--${name}`, rotated[name].join(',')]);
  const { code, stdout } = await roster(t, ['nats', 'permissions', ...args]);
  t.is(code, 0);
  const objects = stdout.replace(/^ *#.*\n/gm, '').replace(/^\s*users: /, '');
  // NATS separates entries of a list by line breaks, JSON by commas.
  t.deepEqual(
    JSON.parse(objects.replaceAll(/^ {2}}\n(?= {2}{)/gm, '  },\n')),
    serverUsers(rotated),
  );
});

test('nats permissions rejects a text that is no public key, a seed, and a key that is given twice', async (t) => {
  const { seed, publicKey } = makeKeyPair();
  const withGateway = (gateway: string) =>
    programNames.flatMap((name) => [
      `--${name}`,
      name === 'gateway' ? gateway : makeKeyPair().publicKey,
    ]);
  for (const [key, problem] of [
    ['U123', /^--gateway accepts public nkeys/],
    [seed, /^--gateway accepts public nkeys/],
    [`${publicKey},${publicKey}`, /is given twice/],
  ] as const) {
    const { code, stderr } = await roster(t, ['nats', 'permissions', ...withGateway(key)]);
    t.is(code, 1);
    t.regex(stderr, problem);
    t.false(stderr.includes(seed));
  }
});

test('a command that NATS denies names the credential that it requires, and reports that nothing was applied', async (t) => {
  const nats = await throwawayNats();
  t.teardown(() => nats.stop());
  const pairs = programNames.map((name) => [name, makeKeyPair()] as const);
  const keys = Object.fromEntries(pairs.map(([name, { publicKey }]) => [name, [publicKey]]));
  const users = serverUsers(keys as unknown as PublicKeys);
  const { contacts, operator } = Object.fromEntries(pairs);
  const isOperator = ({ nkey }: { nkey: string }) => nkey === operator!.publicKey;
  const { permissions } = users.find(isOperator)!;
  const allow = permissions.publish.allow.filter(
    (subject) => !['keys.list', '$SRV.>'].includes(subject),
  );
  const former = { nkey: operator!.publicKey, permissions: { ...permissions, publish: { allow } } };
  await nats.allowOnly(...users.filter((user) => !isOperator(user)), former);
  const list = ['key', 'list', '--workspace', 'wksp_01h455vb4pex5vsknk084sn02q'];
  const deniedTo = (subject: string) =>
    `NATS denies ${subject} to this credential. Use that of the operator, with the permissions that roster nats permissions prints. Nothing was applied.\n`;
  for (const [{ seed }, args, problem] of [
    [
      contacts!,
      list,
      `NATS_NKEY_SEED: NATS at ${new URL(nats.url).host} denies _INBOX.operator.> to this credential, which is that of contacts: set the credential of operator. Nothing was applied.\n`,
    ],
    [operator!, list, deniedTo('keys.list')],
    [operator!, ['doctor', '--cluster'], deniedTo('$SRV.INFO')],
  ] as const) {
    const { code, stdout, stderr } = await roster(t, args, {
      NATS_URL: nats.url,
      NATS_NKEY_SEED: seed,
    });
    t.deepEqual({ code, stdout, stderr }, { code: 1, stdout: '', stderr: problem });
  }
});
