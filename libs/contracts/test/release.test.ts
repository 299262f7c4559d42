import test from 'ava';
import { readFile } from 'node:fs/promises';
import { releaseVersion } from '../index.js';

test('the version is that of package.json', async (t) => {
  const file = new URL('../../../../package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string };
  t.is(releaseVersion, version, 'libs/contracts/index.ts: change it together with package.json');
});
