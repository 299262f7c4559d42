import test from 'ava';

import { Manifests } from '../build/manifests.js';
import { bareClusterFindings, objectFindings, repeatedEntryFindings } from './objects.js';
import { add, set, testFaults } from '../faults.js';

testFaults(objectFindings, [
  {
    what: 'a duplicate object',
    change: (manifests) => manifests.all.push(structuredClone(manifests.get('Service', 'gateway'))),
    findings: ['Service gateway (base/gateway/service.yaml): metadata.name is a duplicate.'],
  },
  {
    what: 'an object without a namespace',
    change: set('Service gateway', 'metadata.namespace', undefined),
    findings: ['Service gateway (base/gateway/service.yaml): metadata.namespace is missing.'],
  },
  {
    what: 'a name that Kubernetes rejects',
    change: set('Service gateway', 'metadata.name', 'Gateway_1'),
    findings: [
      'Service Gateway_1 (base/gateway/service.yaml): metadata.name must consist of lower case letters, digits, "-" and ".", with a letter or a digit at each end and beside each ".".',
    ],
  },
  {
    what: 'a Job named after a tag with characters that are invalid in names',
    change: set('Job migrate-dev', 'metadata.name', 'migrate-0.2.0_rc1'),
    findings: [
      'Job migrate-0.2.0_rc1 (base/migrate/job.yaml): metadata.name must consist of lower case letters, digits, "-" and ".", with a letter or a digit at each end and beside each ".".',
    ],
  },
  {
    what: 'a Job named after a digest',
    change: set('Job migrate-dev', 'metadata.name', `migrate-${'a'.repeat(64)}`),
    findings: [
      `Job migrate-${'a'.repeat(64)} (base/migrate/job.yaml): metadata.name has 72 characters; the name of a Job may have at most 63.`,
    ],
  },
]);

testFaults(repeatedEntryFindings, [
  {
    what: 'a variable that is set twice',
    change: add('Deployment gateway', 'spec.template.spec.containers.0.env', {
      name: 'NODE_OPTIONS',
      value: '',
    }),
    findings: [
      'Deployment gateway (base/gateway/deployment.yaml): spec.template.spec.containers[roster].env has NODE_OPTIONS twice.',
    ],
  },
  {
    what: 'a duplicate port name',
    change: add('Deployment gateway', 'spec.template.spec.containers.0.ports', {
      name: 'http',
      containerPort: 8081,
    }),
    findings: [
      'Deployment gateway (base/gateway/deployment.yaml): spec.template.spec.containers[roster].ports has http twice.',
    ],
  },
]);

testFaults(bareClusterFindings, [
  {
    what: 'a kind of an operator in base or demo',
    change: (manifests) =>
      manifests.all.push({
        apiVersion: 'monitoring.coreos.com/v1',
        kind: 'PodMonitor',
        metadata: { name: 'gateway' },
      }),
    findings: [
      'PodMonitor gateway: kind PodMonitor of monitoring.coreos.com/v1 is unknown to a cluster without its operator: PodMonitor gateway belongs in a component.',
    ],
  },
]);

test('rejects a manifest with a duplicate key', (t) => {
  const text = 'kind: Service\nmetadata: { name: a }\nkind: Deployment\n';
  t.throws(() => Manifests.parse(text), { message: /Map keys must be unique/ });
});
