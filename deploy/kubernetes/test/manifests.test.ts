import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import test from 'ava';
import { parseAllDocuments } from 'yaml';

import type { Manifests } from './build/manifests.js';
import {
  kubernetesDirectory,
  kustomizationOf,
  overlays,
  variant,
  variants,
} from './build/variants.js';
import { testBuilt } from './built.js';
import { autoscalerFindings } from './workloads/autoscalers.js';
import { capacityFindings } from './workloads/capacity.js';
import { environmentFindings } from './processes/environment.js';
import { imageFindings } from './workloads/images.js';
import { bareClusterFindings, objectFindings, repeatedEntryFindings } from './objects/objects.js';
import { podSecurityFindings, tokenFindings } from './workloads/pod-security.js';
import { portFindings } from './workloads/ports.js';
import { probeFindings } from './workloads/probes.js';
import { referenceFindings } from './objects/references.js';
import { resourceFindings } from './workloads/resources.js';
import { rolloutFindings } from './workloads/rollout.js';
import { schemaFindings } from './objects/schemas.js';
import { selectorFindings } from './objects/selectors.js';
import { cutEdgeFindings, openEdgeFindings } from './network/traffic.js';
import { trustedProxyFindings } from './network/trusted-proxies.js';

test('no source has a duplicate key', (t) => {
  const files = globSync('{base,components,overlays}/**/*.yaml', { cwd: kubernetesDirectory });
  const errors = files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(kubernetesDirectory, file), 'utf8')).flatMap((document) =>
      document.errors.map(({ message }) => `${file}: ${message}`),
    ),
  );
  t.true(files.length > 20);
  t.deepEqual(errors, []);
});

test('every source is listed in its kustomization', (t) => {
  const files = globSync('{base,components,overlays}/**/*.*', { cwd: kubernetesDirectory });
  const isKustomization = (file: string) => file.endsWith('/kustomization.yaml');
  const homes = files.filter(isKustomization).map(dirname);
  const unnamed = files
    .filter((file) => !isKustomization(file) && statSync(join(kubernetesDirectory, file)).isFile())
    .filter((file) => {
      const home = homes.toSorted().findLast((directory) => file.startsWith(`${directory}/`)) ?? '';
      const text = readFileSync(join(kubernetesDirectory, home, 'kustomization.yaml'), 'utf8');
      return !text.includes(relative(home, file));
    });
  t.deepEqual(unnamed, []);
});

const findings = async (manifests: Manifests): Promise<string[]> => [
  ...(await schemaFindings(manifests)),
  ...objectFindings(manifests),
  ...repeatedEntryFindings(manifests),
  ...referenceFindings(manifests),
  ...selectorFindings(manifests),
  ...portFindings(manifests),
  ...environmentFindings(manifests),
  ...podSecurityFindings(manifests),
  ...tokenFindings(manifests),
  ...resourceFindings(manifests),
  ...probeFindings(manifests),
  ...rolloutFindings(manifests),
  ...autoscalerFindings(manifests),
  ...capacityFindings(manifests),
  ...imageFindings(manifests),
  ...openEdgeFindings(manifests),
  ...trustedProxyFindings(manifests),
];

testBuilt(
  'base is valid and complete, and allows only required connections',
  variant('base'),
  async (t, manifests) => {
    t.deepEqual(await findings(manifests), []);
  },
);

for (const each of variants()) {
  testBuilt(
    `${each.name} is valid and complete, and allows only required connections`,
    each,
    async (t, manifests) => {
      t.deepEqual([...(await findings(manifests)), ...cutEdgeFindings(manifests)], []);
    },
  );
}

for (const resource of ['base', 'overlays/demo']) {
  testBuilt(
    `${resource} applies to a cluster without operators`,
    variant(resource),
    (t, manifests) => {
      t.deepEqual(bareClusterFindings(manifests), []);
    },
  );
}

for (const overlay of overlays) {
  test(`the image name and tag are set in one place of overlays/${overlay}`, (t) => {
    const { images = [] } = kustomizationOf(`overlays/${overlay}`);
    t.deepEqual(
      images.map(({ name }) => name),
      ['roster'],
    );
    const { newName = '', newTag = '' } = images[0] ?? {};
    const places = globSync(`{base,components,overlays/${overlay}}/**/*.yaml`, {
      cwd: kubernetesDirectory,
    }).filter((file) =>
      readFileSync(join(kubernetesDirectory, file), 'utf8').includes(`${newName}:${newTag}`),
    );
    t.deepEqual(places, []);
    t.true(newName !== '' && newTag !== '' && newTag !== 'latest');
  });
}
