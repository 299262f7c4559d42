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
    what: 'a ConfigMap that is not there',
    change: set('Deployment gateway', `${container}.envFrom.0.configMapRef.name`, 'gatewy'),
    says: [`${gateway}.containers[roster].envFrom names ConfigMap gatewy, which is not there.`],
  },
  {
    what: 'a key that the ConfigMap does not have',
    change: add('Deployment gateway', `${container}.env`, {
      name: 'HOST',
      valueFrom: { configMapKeyRef: { name: 'kube-root-ca.crt', key: 'HOST' } },
    }),
    says: [
      `${gateway}.containers[roster].env[HOST] names the key HOST of ConfigMap kube-root-ca.crt, which is not there.`,
    ],
  },
  {
    what: 'a Secret that is not there',
    change: set('Deployment gateway', `${container}.env.0`, {
      name: 'NATS_URL',
      valueFrom: { secretKeyRef: { name: 'nats-url', key: 'url' } },
    }),
    says: [
      `${gateway}.containers[roster].env[NATS_URL] names the key url of Secret nats-url, which is not there.`,
    ],
  },
  {
    what: 'a key that the Secret does not have',
    change: set('Secret token-keys', 'data', { key: '' }),
    says: [
      'Deployment webhooks (base/webhooks/deployment.yaml): spec.template.spec.containers[roster].env[TOKEN_KEYS] names the key keys of Secret token-keys, which is not there.',
    ],
  },
  {
    what: 'a ServiceAccount that is not there',
    change: remove('ServiceAccount gateway'),
    says: [`${gateway}.serviceAccountName names ServiceAccount gateway, which is not there.`],
  },
  {
    what: 'a mount of a volume that the pod does not have',
    change: add('Deployment gateway', `${container}.volumeMounts`, {
      name: 'tmp',
      mountPath: '/tmp',
    }),
    says: [`${gateway}.containers[roster].volumeMounts names volume tmp, which is not there.`],
  },
  {
    what: 'a volume of a ConfigMap that is not there',
    change: add('Deployment gateway', 'spec.template.spec.volumes', {
      name: 'documents',
      configMap: { name: 'documents' },
    }),
    says: [`${gateway}.volumes[documents] names ConfigMap documents, which is not there.`],
  },
  {
    what: 'a claim that is not there',
    change: add('Deployment gateway', 'spec.template.spec.volumes', {
      name: 'data',
      persistentVolumeClaim: { claimName: 'data' },
    }),
    says: [`${gateway}.volumes[data] names PersistentVolumeClaim data, which is not there.`],
  },
  {
    what: 'an autoscaler of a Deployment that is not there',
    change: set('HorizontalPodAutoscaler gateway', 'spec.scaleTargetRef.name', 'gatewy'),
    says: [
      'HorizontalPodAutoscaler gateway (base/gateway/horizontal-pod-autoscaler.yaml): spec.scaleTargetRef names Deployment gatewy, which is not there.',
    ],
  },
  {
    what: 'a StatefulSet whose Service is not there',
    change: remove('Service postgres'),
    says: [
      'StatefulSet postgres (components/single-node/postgres.yaml): spec.serviceName names Service postgres, which is not there.',
    ],
  },
  {
    what: 'a ScaledObject of a Deployment that is not there',
    of: production,
    change: set('ScaledObject dispatcher', 'spec.scaleTargetRef.name', 'dispatchr'),
    says: [
      'ScaledObject dispatcher (components/keda/scaled-object.yaml): spec.scaleTargetRef names Deployment dispatchr, which is not there.',
    ],
  },
  {
    what: 'a TriggerAuthentication that is not there',
    of: production,
    change: set('ScaledObject dispatcher', 'spec.triggers.0.authenticationRef', { name: 'nats' }),
    says: [
      'ScaledObject dispatcher (components/keda/scaled-object.yaml): spec.triggers.authenticationRef names TriggerAuthentication nats, which is not there.',
    ],
  },
  {
    what: 'a TriggerAuthentication by a Secret that is not there',
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
    says: [
      'TriggerAuthentication nats: spec.secretTargetRef names the key password of Secret nats-monitor, which is not there.',
    ],
  },
  {
    what: 'an HTTPRoute to a Service that is not there',
    of: production,
    change: set('HTTPRoute gateway', 'spec.rules.0.backendRefs.0.name', 'api'),
    says: [
      'HTTPRoute gateway (components/gateway-api/http-route.yaml): spec.rules.backendRefs names Service api, which is not there.',
    ],
  },
  {
    what: 'an HTTPRoute of a Gateway of this namespace that is not there',
    of: production,
    change: set('HTTPRoute gateway', 'spec.parentRefs.0.namespace', undefined),
    says: [
      'HTTPRoute gateway (components/gateway-api/http-route.yaml): spec.parentRefs names Gateway public, which is not there.',
    ],
  },
  {
    what: 'an Ingress to a Service that is not there',
    of: variant('overlays/demo', ['ingress']),
    change: set('Ingress gateway', 'spec.rules.0.http.paths.0.backend.service.name', 'api'),
    says: [
      'Ingress gateway (components/ingress/ingress.yaml): spec.rules.http.paths.backend names Service api, which is not there.',
    ],
  },
  {
    what: 'a backup to an ObjectStore that is not there',
    of: production,
    change: remove('ObjectStore postgres'),
    says: [
      'Cluster postgres (components/postgres/cluster.yaml): spec.plugins.parameters.barmanObjectName names ObjectStore postgres, which is not there.',
    ],
  },
  {
    what: 'a key that CloudNativePG does not write into its Secret',
    of: production,
    change: set('Deployment users', `${container}.env.0`, {
      name: 'DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'postgres-app', key: 'url' } },
    }),
    says: [
      'Deployment users (base/users/deployment.yaml): spec.template.spec.containers[roster].env[DATABASE_URL] names the key url of Secret postgres-app, which is not there.',
    ],
  },
]);

testBuilt('the demo brings every Secret', demo, (t, manifests) => {
  t.deepEqual(secretsByReference(manifests), []);
});

testBuilt(
  'production names the Secrets that it takes from elsewhere',
  production,
  (t, manifests) => {
    t.deepEqual(secretsByReference(manifests), ['postgres-backups']);
  },
);

testBuilt(
  'without External Secrets and operators, every Secret is taken from elsewhere',
  variant('base', ['external-nats', 'external-postgres', 'ingress']),
  (t, manifests) => {
    t.deepEqual(secretsByReference(manifests), ['database', 'gateway-tls', 'nats', 'token-keys']);
  },
);

test('README.md lists every required Secret and its keys', (t) => {
  const text = readFileSync(join(kubernetesDirectory, 'README.md'), 'utf8');
  // The keys of certificates are everybody's.
  const { 'gateway-tls': _, ...others } = secretsToProvide;
  const names = [...Object.keys(secretsToProvide), ...Object.values(others).flat()];
  t.deepEqual(
    names.filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
});
