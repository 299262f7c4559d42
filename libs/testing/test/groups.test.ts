import { fileURLToPath } from 'node:url';

import test from 'ava';

import { alone, groupsOf } from '../runner/groups.js';
import { allFiles } from '../runner/select-files.js';
import { waiting, wholeMachine } from '../runner/weight-of.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

test('every file is in one group, of one package and few files', (t) => {
  const files = allFiles(root, true);
  const groups = groupsOf(files, root);
  t.deepEqual(groups.flat().toSorted(), files.toSorted());
  for (const group of groups) {
    t.true(group.length <= 12);
    t.is(new Set(group.map((file) => file.replace(/dist\/.*/, ''))).size, 1);
  }
  const ofSomeFiles = groupsOf(files.slice(0, 3), root).flat();
  t.deepEqual(ofSomeFiles.toSorted(), files.slice(0, 3).toSorted());
});

test('files that occupy the machine, wait or change what others use are groups of their own', (t) => {
  const groups = groupsOf(allFiles(root, true), root);
  for (const file of [...alone, ...waiting, ...wholeMachine])
    t.deepEqual(
      groups.find((group) => group.includes(file)),
      [file],
    );
});
