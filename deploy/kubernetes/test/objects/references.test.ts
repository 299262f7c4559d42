import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import test from 'ava';

import { referenceFindings, secretsByReference } from './references.js';
import { kubernetesDirectory, variant } from '../build/variants.js';
import { testBuilt } from '../built.js';
import { secretsToProvide } from './secrets.js';
import { add, demo, production, remove, set, testFaults } from '../faults.js';

const gateway = 'Deployment gateway (base/gateway/deployment.yaml): spec.template.spec';
const container = 'spec.template.spec.containers.0';

testFaults(referenceFindings, [
  {
    what: 'a ConfigMap that does not exist',
    change: set('Deployment gateway', `${container}.envFrom.0.configMapRef.name`, 'gatewy'),
    findings: [
      `${gateway}.containers[roster].envFrom names ConfigMap gatewy, which does not exist.`,
    ],
  },
  {
    what: 'a key that the ConfigMap does not have',
    change: add('Deployment gateway', `${container}.env`, {
      name: 'HOST',
      valueFrom: { configMapKeyRef: { name: 'kube-root-ca.crt', key: 'HOST' } },
    }),
    findings: [
      `${gateway}.containers[roster].env[HOST] names the key HOST of ConfigMap kube-root-ca.crt, which does not exist.`,
    ],
  },
  {
    what: 'a Secret that does not exist',
    change: set('Deployment gateway', `${container}.env.0`, {
      name: 'NATS_URL',
      valueFrom: { secretKeyRef: { name: 'nats-url', key: 'url' } },
    }),
    findings: [
      `${gateway}.containers[roster].env[NATS_URL] names the key url of Secret nats-url, which does not exist.`,
    ],
  },
  {
    what: 'a key that the Secret does not have',
    change: set('Secret token-keys', 'data', { key: '' }),
    findings: [
      'Deployment webhooks (base/webhooks/deployment.yaml): spec.template.spec.containers[roster].env[TOKEN_KEYS] names the key keys of Secret token-keys, which does not exist.',
    ],
  },
  {
    what: 'a ServiceAccount that does not exist',
    change: remove('ServiceAccount gateway'),
    findings: [`${gateway}.serviceAccountName names ServiceAccount gateway, which does not exist.`],
  },
  {
    what: 'a mount of a volume that the pod does not have',
    change: add('Deployment gateway', `${container}.volumeMounts`, {
      name: 'tmp',
      mountPath: '/tmp',
    }),
    findings: [
      `${gateway}.containers[roster].volumeMounts names volume tmp, which does not exist.`,
    ],
  },
  {
    what: 'a volume of a ConfigMap that does not exist',
    change: add('Deployment gateway', 'spec.template.spec.volumes', {
      name: 'documents',
      configMap: { name: 'documents' },
    }),
    findings: [`${gateway}.volumes[documents] names ConfigMap documents, which does not exist.`],
  },
  {
    what: 'a claim that does not exist',
    change: add('Deployment gateway', 'spec.template.spec.volumes', {
      name: 'data',
      persistentVolumeClaim: { claimName: 'data' },
    }),
    findings: [`${gateway}.volumes[data] names PersistentVolumeClaim data, which does not exist.`],
  },
  {
    what: 'an autoscaler of a Deployment that does not exist',
    change: set('HorizontalPodAutoscaler gateway', 'spec.scaleTargetRef.name', 'gatewy'),
    findings: [
      'HorizontalPodAutoscaler gateway (base/gateway/horizontal-pod-autoscaler.yaml): spec.scaleTargetRef names Deployment gatewy, which does not exist.',
    ],
  },
  {
    what: 'a StatefulSet whose Service does not exist',
    change: remove('Service postgres'),
    findings: [
      'StatefulSet postgres (components/single-node/postgres.yaml): spec.serviceName names Service postgres, which does not exist.',
    ],
  },
  {
    what: 'a ScaledObject of a Deployment that does not exist',
    of: production,
    change: set('ScaledObject dispatcher', 'spec.scaleTargetRef.name', 'dispatchr'),
    findings: [
      'ScaledObject dispatcher (components/keda/scaled-object.yaml): spec.scaleTargetRef names Deployment dispatchr, which does not exist.',
    ],
  },
  {
    what: 'a TriggerAuthentication that does not exist',
    of: production,
    change: set('ScaledObject dispatcher', 'spec.triggers.0.authenticationRef', { name: 'nats' }),
    findings: [
      'ScaledObject dispatcher (components/keda/scaled-object.yaml): spec.triggers.authenticationRef names TriggerAuthentication nats, which does not exist.',
    ],
  },
  {
    what: 'a TriggerAuthentication by a Secret that does not exist',
    of: production,
    change: (manifests) => {
      const authentication = {
        apiVersion: 'keda.sh/v1alpha1',
        kind: 'TriggerAuthentication',
        metadata: { name: 'nats', namespace: 'roster' },
        spec: {
          secretTargetRef: [{ parameter: 'password', name: 'nats-monitor', key: 'password' }],
        },
      };
      manifests.all.push(authentication);
    },
    findings: [
      'TriggerAuthentication nats: spec.secretTargetRef names the key password of Secret nats-monitor, which does not exist.',
    ],
  },
  {
    what: 'an HTTPRoute to a Service that does not exist',
    of: production,
    change: set('HTTPRoute gateway', 'spec.rules.0.backendRefs.0.name', 'api'),
    findings: [
      'HTTPRoute gateway (components/gateway-api/http-route.yaml): spec.rules.backendRefs names Service api, which does not exist.',
    ],
  },
  {
    what: 'an HTTPRoute of a Gateway of this namespace that does not exist',
    of: production,
    change: set('HTTPRoute gateway', 'spec.parentRefs.0.namespace', undefined),
    findings: [
      'HTTPRoute gateway (components/gateway-api/http-route.yaml): spec.parentRefs names Gateway public, which does not exist.',
    ],
  },
  {
    what: 'an Ingress to a Service that does not exist',
    of: variant('overlays/demo', ['ingress']),
    change: set('Ingress gateway', 'spec.rules.0.http.paths.0.backend.service.name', 'api'),
    findings: [
      'Ingress gateway (components/ingress/ingress.yaml): spec.rules.http.paths.backend names Service api, which does not exist.',
    ],
  },
  {
    what: 'a backup to an ObjectStore that does not exist',
    of: production,
    change: remove('ObjectStore postgres'),
    findings: [
      'Cluster postgres (components/postgres/cluster.yaml): spec.plugins.parameters.barmanObjectName names ObjectStore postgres, which does not exist.',
    ],
  },
  {
    what: 'statements for a new database in a ConfigMap that does not exist',
    of: production,
    change: remove('ConfigMap postgres-roles'),
    findings: [
      'Cluster postgres (components/postgres/cluster.yaml): spec.bootstrap.initdb.postInitApplicationSQLRefs names the key roles.sql of ConfigMap postgres-roles, which does not exist.',
    ],
  },
  {
    what: 'a key that CloudNativePG does not write into its Secret',
    of: production,
    change: set('Deployment users', `${container}.env.0`, {
      name: 'DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'postgres-app', key: 'url' } },
    }),
    findings: [
      'Deployment users (base/users/deployment.yaml): spec.template.spec.containers[roster].env[DATABASE_URL] names the key url of Secret postgres-app, which does not exist.',
    ],
  },
]);

testBuilt('the demo contains every Secret', demo, (t, manifests) => {
  t.deepEqual(secretsByReference(manifests), []);
});

testBuilt('production references exactly these external Secrets', production, (t, manifests) => {
  t.deepEqual(secretsByReference(manifests), [
    'nats-tls',
    'postgres-backups',
    'postgres-contacts',
    'postgres-dispatcher',
    'postgres-migrator',
    'postgres-users',
    'postgres-webhooks',
  ]);
});

testBuilt(
  'without External Secrets and operators, every Secret is external',
  variant('base', ['external-nats', 'external-postgres', 'ingress']),
  (t, manifests) => {
    t.deepEqual(secretsByReference(manifests), ['database', 'gateway-tls', 'nats', 'token-keys']);
  },
);

test('README.md lists every required Secret and its keys', (t) => {
  const text = readFileSync(join(kubernetesDirectory, 'README.md'), 'utf8');
  // Certificates have the same keys everywhere.
  const { 'gateway-tls': _, ...others } = secretsToProvide;
  const names = [...Object.keys(secretsToProvide), ...Object.values(others).flat()];
  t.deepEqual(
    names.filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
});
