import { formerRelease, readFormer } from '@roster/testing';
import { releaseVersion } from '@roster/contracts';
import test from 'ava';
import { brokenPromises, type Contracts } from './compare-contracts.js';
import { readContracts } from './read-contracts.js';

/** Incompatible changes that this release makes on purpose, and why nobody is affected. */
const intended: Record<string, string> = {};

test('this release is compatible with processes, clients and receivers of the former release', (t) => {
  const former = JSON.parse(readFormer('contracts.json')) as Contracts;
  t.true(Object.keys(former.operations).length > 20);
  t.true(former.permissions.length > 100);
  t.deepEqual(brokenPromises(former, readContracts()).toSorted(), Object.keys(intended).toSorted());
});

test('the former release has a lower version', (t) => {
  t.is(releaseVersion.localeCompare(formerRelease.version, 'en', { numeric: true }), 1);
});
