import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { CallerSigner } from '../../proof/caller-signer.js';
import { openStatement } from '../../proof/statement.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const caller = {
  workspaceId: 'wksp_1',
  userId: 'usr_1',
  keyId: 'key_1',
  scopes: ['user' as const],
};

test('after a suspension of its machine, a signer has another name, and signs nothing by the former one', (t) => {
  let suspendedMs = 0;
  const signer = new CallerSigner({ id: 'k1', key: privateKey }, () => Date.now() + suspendedMs);
  const names = () =>
    [
      signer.sign(caller).text,
      signer.signToken({ ...caller, token: { readOnly: true, operations: null } }, 60, 0).text,
    ].map((text) => openStatement(text, [{ id: 'k1', key: publicKey }])!.signer);
  const before = names();
  t.is(before[1], before[0]);
  t.deepEqual(names(), before);
  suspendedMs = 5 * 60_000;
  const after = names();
  t.not(after[0], before[0]);
  t.is(after[1], after[0]);
  t.deepEqual(names(), after);
});
