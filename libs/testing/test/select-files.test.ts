import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { selectFiles } from '../runner/select-files.js';
import { temporaryDirectory } from '../temporary-directory.js';

test('finds the tests of paths and patterns, names each without a test, and leaves options and their values', async (t) => {
  const root = await temporaryDirectory(t);
  for (const folder of ['libs/a/test', 'libs/a/dist/test', 'libs/b/test'])
    await mkdir(join(root, folder), { recursive: true });
  for (const file of ['package.json', 'libs/a/package.json', 'libs/b/package.json'])
    await writeFile(join(root, file), '{}');
  for (const file of ['a.ts', 'test/x.test.ts', 'dist/a.js', 'dist/test/x.test.js'])
    await writeFile(join(root, 'libs/a', file), '');

  const file = 'libs/a/dist/test/x.test.js';
  const matching = ['libs', 'libs/a', 'libs/a/test', 'libs/a/test/x.test.ts', '**/x.test.js'];
  const nothing = { files: [], lines: [], options: [], problems: [] };
  t.deepEqual(selectFiles(matching, root), { ...nothing, files: [file] });
  t.deepEqual(selectFiles(['libs/a/test/x.test.ts:7,9-12'], root), {
    ...nothing,
    lines: [`${file}:7,9-12`],
  });
  const options = ['--match=*y*', '--match', '*y*', '-T', '5m', '-v'];
  t.deepEqual(selectFiles(options, root), { ...nothing, options });
  const without = ['libs/b', 'libs/c', 'libs/a/a.ts', '**/y*.test.js'];
  t.deepEqual(selectFiles(['libs/a', ...without], root), {
    ...nothing,
    files: [file],
    problems: [
      'libs/b contains no test.',
      'libs/c matches no test.',
      'libs/a/a.ts contains no test.',
      '**/y*.test.js matches no test.',
    ],
  });
});
