import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import test from 'ava';
import { base62, checksumOf, hasValidChecksum, keyShape } from '../index.js';

const randomKey = (): string => {
  const random = Array.from({ length: 30 }, () => base62[randomInt(62)]).join('');
  return `rsk_${random}${checksumOf(random)}`;
};

test('the checksum is the CRC-32 of zlib in six base62 digits, most significant first', (t) => {
  for (let round = 0; round < 1000; round += 1) {
    const key = randomKey();
    const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + base62.indexOf(digit), 0);
    t.is(value, crc32(key.slice(4, 34)));
  }
});

test('small checksums are padded with zeros', (t) => {
  // About one in five of these has a CRC-32 below 62^5.
  const checksums = Array.from({ length: 200 }, (_, n) => checksumOf(String(n).padStart(30, '0')));
  t.true(checksums.every((checksum) => checksum.length === 6));
  t.true(checksums.some((checksum) => checksum.startsWith('0')));
});

test('the checksum of a given key never changes', (t) => {
  t.is(checksumOf('A'.repeat(30)), '0uCPlr');
});

test('accepts generated keys', (t) => {
  for (let round = 0; round < 100; round += 1) {
    const key = randomKey();
    t.regex(key, keyShape);
    t.true(hasValidChecksum(key));
  }
});

test('detects every single wrong character', (t) => {
  const key = randomKey();
  for (let at = 4; at < key.length; at += 1) {
    for (const other of base62) {
      if (other !== key[at])
        t.false(hasValidChecksum(key.slice(0, at) + other + key.slice(at + 1)));
    }
  }
});

test('detects every transposition of adjacent characters', (t) => {
  const key = randomKey();
  for (let at = 4; at < key.length - 1; at += 1) {
    if (key[at] === key[at + 1]) continue;
    t.false(hasValidChecksum(key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2)));
  }
});
