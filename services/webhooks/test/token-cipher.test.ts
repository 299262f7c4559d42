import { randomBytes } from 'node:crypto';
import test from 'ava';
import { MissingKey, TokenCipher } from '../secrets/token-cipher.js';
import { makeTokenKey } from './webhooks-bench.js';

const boundTo = 'workspace/webhook';

test('decrypts its own ciphertext, with a different ciphertext each time', (t) => {
  const cipher = new TokenCipher([makeTokenKey('a')]);
  const sealed = Array.from({ length: 100 }, () => cipher.encrypt('tök3n', boundTo));
  for (const text of sealed) t.is(cipher.decrypt(text, boundTo), 'tök3n');
  t.is(new Set(sealed).size, 100);
});

test('decrypts a text only with its binding', (t) => {
  const cipher = new TokenCipher([makeTokenKey('a')]);
  const sealed = cipher.encrypt('token', boundTo);
  t.throws(() => cipher.decrypt(sealed, 'workspace/other'));
  t.throws(() => cipher.decrypt(sealed, 'other/webhook'));
});

test('rejects every changed byte', (t) => {
  const cipher = new TokenCipher([makeTokenKey('a')]);
  const [id, text] = cipher.encrypt('token', boundTo).split('.') as [string, string];
  const bytes = Buffer.from(text, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    t.throws(() => cipher.decrypt(`${id}.${changed.toString('base64url')}`, boundTo));
  }
});

test('rejects a shortened tag', (t) => {
  const cipher = new TokenCipher([makeTokenKey('a')]);
  const sealed = cipher.encrypt('token', boundTo);
  for (let cut = 1; cut <= sealed.length; cut += 1)
    t.throws(() => cipher.decrypt(sealed.slice(0, -cut), boundTo));
});

test('encrypts with the first key, and decrypts with all', (t) => {
  const [former, current] = [makeTokenKey('2025'), makeTokenKey('2026')];
  const old = new TokenCipher([former]).encrypt('token', boundTo);
  const rotated = new TokenCipher([current, former]);
  t.is(rotated.decrypt(old, boundTo), 'token');
  const fresh = rotated.encrypt('token', boundTo);
  t.regex(fresh, /^2026\./);
  t.is(new TokenCipher([current]).decrypt(fresh, boundTo), 'token');
  t.throws(() => new TokenCipher([current]).decrypt(old, boundTo), {
    instanceOf: MissingKey,
  });
});

test('does not decrypt with another key of the same id', (t) => {
  const sealed = new TokenCipher([makeTokenKey('a')]).encrypt(
    randomBytes(8).toString('hex'),
    boundTo,
  );
  t.throws(() => new TokenCipher([makeTokenKey('a')]).decrypt(sealed, boundTo));
});

test('recognizes an input by its hash, also after the key was replaced, and no other input', (t) => {
  const [former, current] = [makeTokenKey('a'), makeTokenKey('b')];
  const old = new TokenCipher([former]);
  const stored = {
    inputHash: old.hashInput('input', boundTo),
    answer: old.encrypt('answer', boundTo),
  };
  const rotated = new TokenCipher([current, former]);
  t.true(rotated.isInputOf(stored, 'input', boundTo));
  t.false(rotated.isInputOf(stored, 'another', boundTo));
  t.false(rotated.isInputOf(stored, 'input', 'other/webhook'));
  t.throws(() => new TokenCipher([current]).isInputOf(stored, 'input', boundTo), {
    instanceOf: MissingKey,
  });
});

test('hashes an input with a key', (t) => {
  const [one, other] = [makeTokenKey('a'), makeTokenKey('a')];
  const hashOf = (key: typeof one) => new TokenCipher([key]).hashInput('input', boundTo);
  t.deepEqual(hashOf(one), hashOf(one));
  t.notDeepEqual(hashOf(one), hashOf(other));
});
