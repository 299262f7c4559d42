import { formerCommit } from '@roster/testing';
import test from 'ava';
import { root } from '../cluster/release.js';
import { brokenPromises } from './compare-contracts.js';
import { checkOut } from './check-out.js';
import { readContracts } from './read-contracts.js';

test('this release is compatible with processes, clients and receivers of the former release', async (t) => {
  const commit = await formerCommit(root);
  if (commit === undefined) {
    t.log('The history of this checkout does not reach the former release: nothing is compared.');
    t.pass();
    return;
  }
  t.log(`compared with ${commit}`);
  const [former, now] = [await readContracts(await checkOut(commit)), await readContracts(root)];
  t.true(Object.keys(former.operations).length > 20);
  t.deepEqual(brokenPromises(former, now), []);
});
