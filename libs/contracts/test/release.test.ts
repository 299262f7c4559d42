import test from 'ava';
import { readFile } from 'node:fs/promises';
import { releaseVersion } from '../index.js';

const read = (file: string) => readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8');

interface Package {
  version: string;
  dependencies?: Record<string, string>;
}

test('the version is that of package.json, of the packages that are published, and of what they say', async (t) => {
  const { version } = JSON.parse(await read('package.json')) as Package;
  t.is(releaseVersion, version, 'libs/contracts/index.ts: change it together with package.json');
  const [client, cli] = await Promise.all(
    ['client', 'cli'].map(
      async (name) => JSON.parse(await read(`libs/${name}/package.json`)) as Package,
    ),
  );
  t.is(client!.version, version);
  t.is(cli!.version, version);
  // A published command line uses the library of its release.
  t.is(cli!.dependencies!['@roster/client'], version);
  for (const file of ['libs/client/types.ts', 'libs/cli/version.ts'])
    t.true((await read(file)).includes(`export const version = '${version}';`), file);
});
