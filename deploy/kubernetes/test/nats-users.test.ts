import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { printServerUsers, publicKeyOf, type PublicKeys } from '@roster/bus';
import { programNames } from '@roster/contracts';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { ISecret } from 'kubernetes-models/v1';

import type { Manifests } from './build/manifests.js';
import { kubernetesDirectory, variant } from './build/variants.js';
import { testBuilt } from './built.js';
import { secretValue } from './objects/secrets.js';

const secretOf = (manifests: Manifests, key: string): string =>
  secretValue(manifests, 'nats', key) ?? '';

testBuilt(
  'the demo gives NATS the users that `roster nats permissions` prints for its seeds (`npm run record` writes them)',
  variant('overlays/demo'),
  (t, manifests) => {
    const keys = programNames.map(
      (name) => [name, [publicKeyOf(secretOf(manifests, `${name}-seed`))]] as const,
    );
    const printed = printServerUsers(Object.fromEntries(keys) as unknown as PublicKeys);
    if (process.env['RECORD']) {
      recordUsers(printed);
      t.pass();
    } else {
      t.is(secretOf(manifests, 'users.conf'), printed);
    }
  },
);

function recordUsers(printed: string): void {
  const file = join(kubernetesDirectory, 'overlays/demo/nats-secret.yaml');
  const line = `users.conf: ${Buffer.from(printed).toString('base64')}`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(/users\.conf: .*/, line));
}

testBuilt(
  'no value of a Secret of the demo is broken into lines, which kubectl would apply as a change each time',
  variant('overlays/demo'),
  (t, manifests) => {
    const values = manifests.of<ISecret>('Secret').flatMap(({ data = {} }) => Object.entries(data));
    t.true(values.length > 10);
    t.deepEqual(
      values.filter(([, value]) => value.includes('\n')).map(([key]) => key),
      [],
    );
  },
);

testBuilt('each process has only its own seed', variant('base'), (t, manifests) => {
  const deployments = manifests.of<IDeployment>('Deployment');
  t.true(deployments.length > 4);
  for (const { metadata, spec } of deployments) {
    const { env = [] } = spec?.template.spec?.containers[0] ?? {};
    const keys = env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? []);
    t.deepEqual(
      keys.filter((key) => key.endsWith('-seed')),
      [`${metadata?.name}-seed`],
    );
  }
});
