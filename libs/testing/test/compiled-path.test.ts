import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test from 'ava';

import { compiledPath } from '../runner/compiled-path.js';

test('finds the compiled test of a source path, and leaves options unchanged', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'roster test '));
  t.teardown(() => rm(root, { recursive: true }));
  await mkdir(join(root, 'libs/a/test'), { recursive: true });
  await writeFile(join(root, 'package.json'), '{}');
  await writeFile(join(root, 'libs/a/package.json'), '{}');
  await writeFile(join(root, 'libs/a/test/x.test.ts'), '');

  t.is(compiledPath('libs/a/test/x.test.ts', root), 'libs/a/dist/test/x.test.js');
  t.is(compiledPath('libs/a/test', root), 'libs/a/dist/test');
  t.is(compiledPath('libs/a', root), 'libs/a/dist');
  t.is(compiledPath('--match=*refuses*', root), '--match=*refuses*');
});
