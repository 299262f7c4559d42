import { access } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { variants } from '../checks/variants.js';
import { copyManifests } from '../cluster/manifests.js';

test('the variants contain every overlay and every component', async (t) => {
  const copy = await copyManifests('roster:dev');
  t.teardown(() => copy.discard());
  const all = await variants(copy);
  const names = all.map(({ name }) => name);
  for (const name of ['overlays/demo', 'overlays/production', 'base with components/single-node'])
    t.true(names.includes(name), name);
  for (const { folder } of all) await t.notThrowsAsync(access(join(folder, 'kustomization.yaml')));
});
