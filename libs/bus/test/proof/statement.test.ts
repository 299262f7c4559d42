import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { openStatement, signStatement, type Statement } from '../../proof/statement.js';

const pair = (id: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { signing: { id, key: privateKey }, verifying: { id, key: publicKey } };
};
const [first, second, foreign] = [pair('k1'), pair('k2'), pair('k1')];
const statement: Statement = {
  caller: { workspaceId: 'wksp_1', userId: 'usr_1', keyId: 'key_1', scopes: ['api_user', 'user'] },
  signer: 'process',
  issuedAt: 1000,
  expiresAt: 2000,
};
const text = signStatement(statement, first.signing);

test('a statement is read as it was signed, with any of several public keys', (t) => {
  t.deepEqual(openStatement(text, [first.verifying]), statement);
  t.deepEqual(openStatement(text, [second.verifying, first.verifying]), statement);
});

test('a browser token is read as it was signed', (t) => {
  const limits = { readOnly: true, operations: ['contacts.list'] };
  const token = {
    ...statement,
    caller: { ...statement.caller, token: limits, tokenId: 'a' },
    databaseMs: 3000,
  };
  t.deepEqual(openStatement(signStatement(token, first.signing), [first.verifying]), token);
});

test('refuses a statement of a key that is not configured, or of another key with the same ID', (t) => {
  t.is(openStatement(text, [second.verifying]), undefined);
  t.is(openStatement(signStatement(statement, foreign.signing), [first.verifying]), undefined);
});

test('refuses a statement in which any character was changed, or to which one was added', (t) => {
  for (let at = 0; at < text.length; at += 1) {
    const other = text[at] === 'A' ? 'B' : 'A';
    const changed = text.slice(0, at) + other + text.slice(at + 1);
    t.is(openStatement(changed, [first.verifying]), undefined, `character ${at}`);
  }
  for (const more of ['A', '=', '.', '.A', ' ', '\n'])
    t.is(openStatement(text + more, [first.verifying]), undefined, JSON.stringify(more));
});

test('refuses texts that are not statements', (t) => {
  for (const other of ['', '.', '..', 'rcs_k1', 'rcs_k1..', 'rcs_k1.e30.', 'k1.e30.AAAA', 'é.é.é'])
    t.is(openStatement(other, [first.verifying]), undefined, other);
});
