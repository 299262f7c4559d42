import { randomBytes } from 'node:crypto';
import test from 'ava';
import { nkeys } from 'nats';
import { isUserSeed, userKeyOf } from '../../permissions/nkey.js';

test('an nkey has the public key that nkeys.js computes, and signatures that it accepts', (t) => {
  for (let n = 0; n < 20; n += 1) {
    const pair = nkeys.createUser();
    const key = userKeyOf(Buffer.from(pair.getSeed()).toString())!;
    t.is(key.publicKey, pair.getPublicKey());
    const nonce = randomBytes(11).toString('base64url');
    t.true(nkeys.fromPublic(key.publicKey).verify(Buffer.from(nonce), key.sign(nonce)));
  }
});

test('only seeds of users are accepted, with a correct checksum', (t) => {
  const seed = Buffer.from(nkeys.createUser().getSeed()).toString();
  t.true(isUserSeed(seed));
  const at = 20;
  const changed = seed.slice(0, at) + (seed[at] === 'A' ? 'B' : 'A') + seed.slice(at + 1);
  const account = Buffer.from(nkeys.createAccount().getSeed()).toString();
  const publicKey = nkeys.createUser().getPublicKey();
  const others = [changed, account, publicKey, seed.slice(0, -1), `${seed}A`, '', 'SU', ` ${seed}`];
  for (const other of others) t.false(isUserSeed(other), other);
});
