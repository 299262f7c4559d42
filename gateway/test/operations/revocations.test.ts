import test from 'ava';
import { Revocations } from '../../operations/revocations.js';

test('a revocation outdates what was requested about the key before it, and about no other key', (t) => {
  const revocations = new Revocations(1000);
  revocations.add('revoked', 10);
  t.true(revocations.isOutdated('revoked', 9));
  t.true(revocations.isOutdated('revoked', 10));
  t.false(revocations.isOutdated('revoked', 11));
  t.false(revocations.isOutdated('other', 9));
  revocations.add('revoked', 20);
  t.true(revocations.isOutdated('revoked', 11));
});

test('missed revocations outdate everything that was requested before', (t) => {
  const revocations = new Revocations(1000);
  revocations.addAll(10);
  t.true(revocations.isOutdated('any', 10));
  t.false(revocations.isOutdated('any', 11));
});

test('a revocation that is forgotten after its time outdates all that is older', (t) => {
  const revocations = new Revocations(1000);
  revocations.add('first', 10);
  revocations.add('second', 1010);
  t.false(revocations.isOutdated('other', 10));
  revocations.add('third', 1011);
  t.true(revocations.isOutdated('first', 10));
  t.true(revocations.isOutdated('other', 10));
  t.false(revocations.isOutdated('other', 11));
});

test('remembers 10,000 keys, however often each is revoked', (t) => {
  const revocations = new Revocations(1e9);
  for (let time = 1; time <= 10_000; time += 1) revocations.add(`key ${time}`, time);
  for (let time = 10_001; time <= 30_000; time += 1) revocations.add('key 10000', time);
  t.false(revocations.isOutdated('other', 1));
  t.true(revocations.isOutdated('key 1', 1));
  revocations.add('one more', 30_001);
  t.true(revocations.isOutdated('key 1', 1));
  t.true(revocations.isOutdated('other', 1));
  t.false(revocations.isOutdated('other', 2));
  t.true(revocations.isOutdated('key 2', 2));
});
