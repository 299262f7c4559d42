import test from 'ava';
import { Revocations } from '../../operations/revocations.js';

const isOutdated = (revocations: Revocations, keyId: string, requestedAt: number): boolean =>
  revocations.concern({ keyId, workspaceId: 'w' }, requestedAt);

test('a revocation outdates what was requested about the key before it, and about no other key', (t) => {
  const revocations = new Revocations();
  revocations.add('revoked', 10);
  t.true(isOutdated(revocations, 'revoked', 9));
  t.true(isOutdated(revocations, 'revoked', 10));
  t.false(isOutdated(revocations, 'revoked', 11));
  t.false(isOutdated(revocations, 'other', 9));
  revocations.add('revoked', 20);
  t.true(isOutdated(revocations, 'revoked', 11));
});

test('missed revocations outdate everything that was requested before', (t) => {
  const revocations = new Revocations();
  revocations.addAll(10);
  t.true(isOutdated(revocations, 'any', 10));
  t.false(isOutdated(revocations, 'any', 11));
});

test('remembers 10,000 keys, however often each is revoked', (t) => {
  const revocations = new Revocations();
  for (let time = 1; time <= 10_000; time += 1) revocations.add(`key ${time}`, time);
  for (let time = 10_001; time <= 30_000; time += 1) revocations.add('key 10000', time);
  t.false(isOutdated(revocations, 'other', 1));
  t.true(isOutdated(revocations, 'key 1', 1));
  revocations.add('one more', 30_001);
  t.true(isOutdated(revocations, 'key 1', 1));
  t.true(isOutdated(revocations, 'other', 1));
  t.false(isOutdated(revocations, 'other', 2));
  t.true(isOutdated(revocations, 'key 2', 2));
});

test('a change of the origins of a workspace outdates what was requested about its keys', (t) => {
  const revocations = new Revocations();
  revocations.add('w', 10);
  t.true(isOutdated(revocations, 'any', 10));
  t.false(isOutdated(revocations, 'any', 11));
});
