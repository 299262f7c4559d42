import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { unmatchedPaths } from '../runner/unmatched-paths.js';
import { temporaryDirectory } from '../temporary-directory.js';

test('names each path and pattern without a test, and leaves options and their values', async (t) => {
  const root = await temporaryDirectory(t);
  for (const folder of ['libs/a/test', 'libs/a/dist/test', 'libs/b/test'])
    await mkdir(join(root, folder), { recursive: true });
  for (const file of ['package.json', 'libs/a/package.json', 'libs/b/package.json'])
    await writeFile(join(root, file), '{}');
  for (const file of ['a.ts', 'test/x.test.ts', 'dist/a.js', 'dist/test/x.test.js'])
    await writeFile(join(root, 'libs/a', file), '');

  const matching = ['libs', 'libs/a', 'libs/a/test', 'libs/a/test/x.test.ts', '**/x.test.js'];
  t.deepEqual(unmatchedPaths([...matching, 'libs/a/test/x.test.ts:7'], root), []);
  t.deepEqual(unmatchedPaths(['--match=*y*', '--match', '*y*', '-T', '5m', '-v'], root), []);
  t.deepEqual(
    unmatchedPaths(['libs/a', 'libs/b', 'libs/c', 'libs/a/a.ts', '**/y*.test.js'], root),
    [
      'libs/b contains no test.',
      'libs/c matches no test.',
      'libs/a/a.ts contains no test.',
      '**/y*.test.js matches no test.',
    ],
  );
});
