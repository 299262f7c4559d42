import { Manifests } from '../build/manifests.js';
import { variant } from '../build/variants.js';
import { testBuilt } from '../built.js';
import { schemaFindings } from './schemas.js';
import { production, set, testFaults } from '../faults.js';

testFaults(schemaFindings, [
  {
    what: 'an unknown field at any depth',
    change: set(
      'Deployment gateway',
      'spec.template.spec.containers.0.readinessProbe.periodSecond',
      3,
    ),
    findings: [
      'Deployment gateway (base/gateway/deployment.yaml): spec.template.spec.containers.0.readinessProbe.periodSecond is not a field of this kind.',
    ],
  },
  {
    what: 'an unknown field of an object without known fields',
    change: set('NetworkPolicy default-deny', 'spec.podSelector.labels', { a: 'b' }),
    findings: [
      'NetworkPolicy default-deny (base/network-policies.yaml): spec.podSelector.labels is not a field of this kind.',
    ],
  },
  {
    what: 'a value of another type',
    change: set('Deployment gateway', 'spec.minReadySeconds', '5'),
    findings: [
      'Deployment gateway (base/gateway/deployment.yaml): spec.minReadySeconds must be integer.',
    ],
  },
  {
    what: 'a value that is not in the enumeration',
    change: set('Service gateway', 'spec.ports.0.protocol', 'HTTP'),
    findings: [
      'Service gateway (base/gateway/service.yaml): spec.ports.0.protocol must be equal to one of the allowed values.',
    ],
  },
  {
    what: 'a required field that is missing',
    change: set('HorizontalPodAutoscaler gateway', 'spec.maxReplicas', undefined),
    findings: [
      'HorizontalPodAutoscaler gateway (base/gateway/horizontal-pod-autoscaler.yaml): spec must have required property maxReplicas.',
    ],
  },
  {
    what: 'an unknown kind',
    change: set('PodDisruptionBudget gateway', 'kind', 'PodDisruptionBudgets'),
    findings: [
      'PodDisruptionBudgets gateway (base/gateway/pod-disruption-budget.yaml): kind PodDisruptionBudgets of policy/v1 is unknown.',
    ],
  },
  {
    what: 'a version that Kubernetes no longer serves',
    change: set('PodDisruptionBudget gateway', 'apiVersion', 'policy/v1beta1'),
    findings: [
      'PodDisruptionBudget gateway (base/gateway/pod-disruption-budget.yaml): kind PodDisruptionBudget of policy/v1beta1 is unknown.',
    ],
  },
  {
    what: "an unknown field of CloudNativePG's Cluster",
    of: production,
    change: set('Cluster postgres', 'spec.postgresql.synchronous.minimum', 1),
    findings: [
      'Cluster postgres (components/postgres/cluster.yaml): spec.postgresql.synchronous.minimum is not a field of this kind.',
    ],
  },
  {
    what: "an unknown field of the Barman Cloud plugin's ObjectStore",
    of: production,
    change: set('ObjectStore postgres', 'spec.configuration.wal.compress', 'gzip'),
    findings: [
      'ObjectStore postgres (components/postgres/backups.yaml): spec.configuration.wal.compress is not a field of this kind.',
    ],
  },
  {
    what: "an unknown field of KEDA's ScaledObject",
    of: production,
    change: set('ScaledObject dispatcher', 'spec.minReplicas', 2),
    findings: [
      'ScaledObject dispatcher (components/keda/scaled-object.yaml): spec.minReplicas is not a field of this kind.',
    ],
  },
  {
    what: "an unknown field of the Gateway API's HTTPRoute",
    of: production,
    change: set('HTTPRoute gateway', 'spec.rules.0.timeout', '1s'),
    findings: [
      'HTTPRoute gateway (components/gateway-api/http-route.yaml): spec.rules.0.timeout is not a field of this kind.',
    ],
  },
  {
    what: 'an unknown field of an ExternalSecret',
    of: production,
    change: set('ExternalSecret nats', 'spec.secretStore', { name: 'roster' }),
    findings: [
      'ExternalSecret nats (components/external-secrets/nats.yaml): spec.secretStore is not a field of this kind.',
    ],
  },
  {
    what: 'an unknown field of a PrometheusRule',
    of: variant('overlays/demo', ['monitoring']),
    change: set('PrometheusRule roster-deliveries', 'spec.groups.0.rules.0.expression', 'up'),
    findings: [
      'PrometheusRule roster-deliveries (components/monitoring/rules/deliveries.yaml): spec.groups.0.rules.0.expression is not a field of this kind.',
    ],
  },
]);

/** Objects with arbitrary keys. */
const maps = ['annotations', 'data', 'labels', 'matchLabels', 'metadata', 'parameters', 'selector'];

testBuilt(
  'an unknown field is found in every object except maps',
  variant('overlays/production', ['ingress']),
  async (t, manifests) => {
    const unnoticed = new Set<string>();
    let objects = 0;
    for (const manifest of manifests.all) {
      for (const path of objectsWithin(manifest)) {
        objects += 1;
        const copy = new Manifests([structuredClone(manifest)]);
        const { kind, metadata } = manifest;
        set(`${kind} ${metadata.name}`, [...path, 'unknown'].join('.'), 'value')(copy);
        if ((await schemaFindings(copy)).length === 0) unnoticed.add(path.at(-1) ?? kind);
      }
    }
    t.true(objects > 500);
    t.deepEqual([...unnoticed].toSorted(), maps);
  },
);

function objectsWithin(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : [path];
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, child]) => objectsWithin(child, [...path, key])),
  ];
}
