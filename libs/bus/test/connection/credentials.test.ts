import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, temporaryDirectory } from '@roster/testing';
import test from 'ava';
import { connectBus, makeKeyPair, NatsTrouble } from '../../index.js';
import { silent } from '../running-bus.js';
import { fakeServer } from './fake-server.js';

const options = { name: 'gateway', log: silent };

test('an nkey proves its identity by a signature, and its seed is read again at every connection', async (t) => {
  const [old, rotated] = [makeKeyPair(), makeKeyPair()];
  const nkeySeedFile = join(await temporaryDirectory(t), 'gateway.nk');
  await writeFile(nkeySeedFile, `${old.seed}\n`);
  const fake = await fakeServer(t);
  const servers = `nats://${fake.host}`;
  const bus = await connectBus({ ...options, servers, credentials: { nkeySeedFile } });
  t.teardown(() => bus.close());
  t.regex(fake.received(), new RegExp(`"nkey":"${old.publicKey}","sig":"[^"]+"`));
  await writeFile(nkeySeedFile, `${rotated.seed}\n`);
  fake.disconnect();
  await eventually(() => fake.received().includes(rotated.publicKey));
  t.notRegex(fake.received(), new RegExp(`${old.seed}|${rotated.seed}`));
});

test('a credentials file sends its JWT and a signature, never its seed', async (t) => {
  const { seed } = makeKeyPair();
  const credentialsFile = join(await temporaryDirectory(t), 'gateway.creds');
  await writeFile(
    credentialsFile,
    `-----BEGIN NATS USER JWT-----\nthe.signed.jwt\n------END NATS USER JWT------\n\n` +
      `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
  );
  const fake = await fakeServer(t);
  const bus = await connectBus({
    ...options,
    servers: `nats://${fake.host}`,
    credentials: { credentialsFile },
  });
  t.teardown(() => bus.close());
  t.regex(fake.received(), /"jwt":"the\.signed\.jwt".*"sig":"[^"]+"/);
  t.false(fake.received().includes(seed));
});

test('a missing or invalid file fails the connection, and the error names it without its content', async (t) => {
  const fake = await fakeServer(t);
  const folder = await temporaryDirectory(t);
  const invalid = join(folder, 'invalid.nk');
  await writeFile(invalid, 'SUSECRET');
  for (const nkeySeedFile of [join(folder, 'missing.nk'), invalid]) {
    const servers = `nats://${fake.host}`;
    const error = await t.throwsAsync(
      connectBus({ ...options, servers, credentials: { nkeySeedFile } }),
      { instanceOf: NatsTrouble },
    );
    t.is(error.variable, 'NATS_*_FILE');
    t.notRegex(error.message, /SUSECRET/);
  }
  t.is(fake.received(), '');
});
