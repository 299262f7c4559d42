import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { printServerUsers, publicKeyOf, type PublicKeys } from '@roster/bus';
import { programNames } from '@roster/contracts';
import type { IDeployment } from 'kubernetes-models/apps/v1';

import type { Manifests } from './build/manifests.js';
import { kubernetesDirectory, variant } from './build/variants.js';
import { testBuilt } from './built.js';
import { secretValue } from './objects/secrets.js';

const secretOf = (manifests: Manifests, key: string): string =>
  secretValue(manifests, 'nats', key) ?? '';

testBuilt(
  'the demo gives NATS the users that `roster nats permissions` prints for its seeds (recorded with RECORD_NATS_USERS=1)',
  variant('overlays/demo'),
  (t, manifests) => {
    const keys = programNames.map(
      (name) => [name, [publicKeyOf(secretOf(manifests, `${name}-seed`))]] as const,
    );
    const printed = printServerUsers(Object.fromEntries(keys) as unknown as PublicKeys);
    if (process.env['RECORD_NATS_USERS'])
      return writeFileSync(join(kubernetesDirectory, 'overlays/demo/nats-users.conf'), printed);
    t.is(secretOf(manifests, 'users.conf'), printed);
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
