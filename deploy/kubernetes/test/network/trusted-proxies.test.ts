import type { IConfigMap } from 'kubernetes-models/v1';

import { variant } from '../build/variants.js';
import { add, production, testFaults } from '../faults.js';
import { trustedProxyFindings } from './trusted-proxies.js';

const container = 'spec.template.spec.containers.0';
const field = 'Deployment gateway (base/gateway/deployment.yaml): TRUSTED_PROXIES of roster';
const unset = `${field} is not set, although a proxy is in front of it.`;

testFaults(trustedProxyFindings, [
  ...[production, variant('base', ['single-node', 'ingress'])].map((of) => ({
    what: `a gateway that does not know its proxy, in ${of.name}`,
    of,
    change: add('Deployment gateway', `${container}.env`, { name: 'TRUSTED_PROXIES', value: '' }),
    findings: [unset],
  })),
  {
    what: 'a proxy in front of a gateway that trusts none',
    change: (manifests) =>
      manifests.all.push({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'gateway' },
      }),
    findings: [unset],
  },
  {
    what: 'a gateway that believes every client',
    of: production,
    change: (manifests) => {
      for (const { data } of manifests.of<IConfigMap>('ConfigMap'))
        if (data?.['TRUSTED_PROXIES'] !== undefined)
          data['TRUSTED_PROXIES'] = '10.0.0.0/8, 0.0.0.0/0';
    },
    findings: [`${field} contains 0.0.0.0/0, with the addresses of clients.`],
  },
]);
