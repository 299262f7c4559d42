import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const outside = fileURLToPath(new URL('../../../kubernetes/outside/', import.meta.url));
const programs = new URL('../pods/', import.meta.url);

test('the ConfigMap of the programs contains every file that one of them imports', async (t) => {
  const kustomization = await readFile(`${outside}kustomization.yaml`, 'utf8');
  const listed = [...kustomization.matchAll(/- programs\/(\S+)/g)].map(([, file]) => file!);
  t.true(listed.length > 0);
  for (const file of listed) {
    const source = await readFile(new URL(file, programs), 'utf8');
    const imported = [...source.matchAll(/from '\.\/(.+)'/g)].map(([, name]) => name!);
    t.deepEqual(
      imported.filter((name) => !listed.includes(name)),
      [],
      file,
    );
  }
});
