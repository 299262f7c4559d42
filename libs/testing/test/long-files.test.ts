import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import test from 'ava';

import { longFiles, compiledLongFiles } from '../runner/long-files.js';
import { waiting, wholeMachine } from '../runner/weight-of.js';

const cwd = fileURLToPath(new URL('../../../../', import.meta.url));

test('every long file exists, and is left out when it is compiled', (t) => {
  for (const pattern of longFiles) t.true(globSync(pattern, { cwd }).length > 0, pattern);
  for (const pattern of compiledLongFiles) t.true(globSync(pattern, { cwd }).length > 0, pattern);
});

test('every file with a weight of its own exists', (t) => {
  for (const file of [...waiting, ...wholeMachine]) t.deepEqual(globSync(file, { cwd }), [file]);
});
